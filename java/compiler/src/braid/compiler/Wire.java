package braid.compiler;

import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** The frames between Braid and this JVM: a length, then fields in order. Mirrors {@code wire.rs}. */
final class Wire {
    /** Both sides must speak the same version. */
    static final int VERSION = 2;

    private Wire() {}

    /** The fields of a frame that came in. */
    static final class In {
        private final ByteBuffer bytes;

        private In(byte[] bytes) {
            this.bytes = ByteBuffer.wrap(bytes);
        }

        /** The next frame; null at the end of the stream. */
        static In receive(DataInputStream from) throws IOException {
            int length;
            try {
                length = from.readInt();
            } catch (EOFException end) {
                return null;
            }
            byte[] bytes = new byte[length];
            from.readFully(bytes);
            return new In(bytes);
        }

        int octet() {
            return bytes.get() & 0xff;
        }

        boolean flag() {
            return octet() != 0;
        }

        int number() {
            return bytes.getInt();
        }

        byte[] blob() {
            byte[] blob = new byte[number()];
            bytes.get(blob);
            return blob;
        }

        String text() {
            return new String(blob(), StandardCharsets.UTF_8);
        }

        List<String> texts() {
            int count = number();
            List<String> texts = new ArrayList<>();
            for (int i = 0; i < count; i++) {
                texts.add(text());
            }
            return texts;
        }
    }

    /** The fields of a frame on its way out. */
    static final class Out {
        private final ByteArrayOutputStream bytes = new ByteArrayOutputStream(1 << 16);

        Out octet(int value) {
            bytes.write(value);
            return this;
        }

        Out flag(boolean value) {
            return octet(value ? 1 : 0);
        }

        Out number(int value) {
            return octet(value >>> 24).octet(value >>> 16).octet(value >>> 8).octet(value);
        }

        Out blob(byte[] value) {
            number(value.length);
            bytes.write(value, 0, value.length);
            return this;
        }

        Out text(String value) {
            return blob(value.getBytes(StandardCharsets.UTF_8));
        }

        Out texts(List<String> values) {
            number(values.size());
            values.forEach(this::text);
            return this;
        }

        void send(DataOutputStream to) throws IOException {
            to.writeInt(bytes.size());
            bytes.writeTo(to);
            to.flush();
        }
    }
}
