package braid.runner;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * The fields of a message: numbers big-endian, texts as length and UTF-8, lists as length and items.
 * Mirrors the crate {@code protocol}.
 */
final class Message {
    /** The version of the protocol. */
    static final int VERSION = 7;

    static final int DISCOVER = 1;
    static final int RUN = 2;
    static final int DUMP = 3;
    static final int EXIT = 4;
    static final int RENEW = 5;
    static final int RUN_TRIALS = 64;
    static final int REDEFINE = 65;
    static final int HALT = 66;

    static final int HELLO = 1;
    static final int FOUND = 2;
    static final int PROBLEM = 3;
    static final int DISCOVERED = 4;
    static final int UNIT_STARTED = 5;
    static final int LEAF_STARTED = 6;
    static final int LEAF_FINISHED = 7;
    static final int UNIT_FINISHED = 8;
    static final int RUN_FINISHED = 9;
    static final int STACK = 10;
    static final int EXITING = 11;
    static final int BROKEN = 12;
    static final int RENEWED = 13;
    static final int TRIAL_STARTED = 64;
    static final int UNIT_RAN = 65;
    static final int TRIALS_FINISHED = 66;
    static final int REDEFINED = 67;
    static final int NOTE = 68;

    private Message() {}

    /** A message being written, with room for its length in front. */
    static final class Out {
        private byte[] bytes = new byte[256];
        private int length = 4;

        Out(int number) {
            u8(number);
        }

        private void reserve(int more) {
            if (bytes.length - length < more) {
                bytes = Arrays.copyOf(bytes, Math.max(bytes.length * 2, length + more));
            }
        }

        Out u8(int value) {
            reserve(1);
            bytes[length++] = (byte) value;
            return this;
        }

        Out u16(int value) {
            return u8(value >>> 8).u8(value);
        }

        Out u32(int value) {
            return u16(value >>> 16).u16(value);
        }

        Out u64(long value) {
            return u32((int) (value >>> 32)).u32((int) value);
        }

        Out bool(boolean value) {
            return u8(value ? 1 : 0);
        }

        /** Unpaired surrogates, which UTF-8 cannot hold, become question marks. */
        Out text(String value) {
            byte[] utf8 = value.getBytes(StandardCharsets.UTF_8);
            return u32(utf8.length).raw(utf8, 0, utf8.length);
        }

        /** Bytes without their number. */
        Out raw(byte[] from, int start, int count) {
            reserve(count);
            System.arraycopy(from, start, bytes, length, count);
            length += count;
            return this;
        }

        /** The number of this message. */
        int number() {
            return bytes[4] & 0xff;
        }

        /** How long what it says is so far, its number left out. */
        int length() {
            return length - 5;
        }

        /** Appends what this message says from {@code start}, counted behind its number. */
        void copyTo(Out other, int start) {
            other.raw(bytes, 5 + start, length - 5 - start);
        }

        Out option(String value) {
            bool(value != null);
            return value == null ? this : text(value);
        }

        /** The whole frame. */
        byte[] frame() {
            byte[] frame = Arrays.copyOf(bytes, length);
            ByteBuffer.wrap(frame).putInt(length - 4);
            return frame;
        }
    }

    /** A message being read. */
    static final class In {
        private final ByteBuffer body;

        In(byte[] body) {
            this.body = ByteBuffer.wrap(body);
        }

        int u8() {
            return body.get() & 0xff;
        }

        boolean bool() {
            return u8() != 0;
        }

        int u32() {
            return body.getInt();
        }

        long u64() {
            return body.getLong();
        }

        byte[] bytes() {
            byte[] bytes = new byte[body.getInt()];
            body.get(bytes);
            return bytes;
        }

        String text() {
            return new String(bytes(), StandardCharsets.UTF_8);
        }

        List<String> texts() {
            int length = body.getInt();
            List<String> texts = new ArrayList<>();
            for (int i = 0; i < length; i++) {
                texts.add(text());
            }
            return texts;
        }

        boolean atEnd() {
            return !body.hasRemaining();
        }
    }
}
