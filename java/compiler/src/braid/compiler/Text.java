package braid.compiler;

import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.Charset;
import java.nio.charset.CharsetDecoder;
import java.nio.charset.CoderResult;
import java.nio.charset.CodingErrorAction;
import java.util.ArrayList;
import java.util.List;

/** The text of a source file, decoded the way javac does it. */
final class Text {
    final String text;
    /** One for each place with bytes that are no text; javac reads on after it. */
    final List<Message> errors;

    private Text(String text, List<Message> errors) {
        this.text = text;
        this.errors = errors;
    }

    /** The text; null if it has bytes that are no text. */
    static String of(byte[] bytes, Charset charset) {
        Text text = decode("", bytes, charset);
        return text.errors.isEmpty() ? text.text : null;
    }

    static Text decode(String file, byte[] bytes, Charset charset) {
        CharsetDecoder decoder =
                charset.newDecoder()
                        .onMalformedInput(CodingErrorAction.REPORT)
                        .onUnmappableCharacter(CodingErrorAction.REPORT);
        ByteBuffer in = ByteBuffer.wrap(bytes);
        CharBuffer out =
                CharBuffer.allocate((int) (bytes.length * (double) decoder.maxCharsPerByte()) + 16);
        List<int[]> bad = new ArrayList<>(); // char position, byte position, byte count
        for (CoderResult result; (result = decoder.decode(in, out, true)).isError(); ) {
            bad.add(new int[] {out.position(), in.position(), result.length()});
            in.position(in.position() + result.length());
            out.put('\ufffd');
        }
        decoder.flush(out);
        String text = out.flip().toString();
        List<Message> errors = new ArrayList<>();
        for (int[] place : bad) {
            StringBuilder hex = new StringBuilder();
            for (int i = 0; i < place[2]; i++) {
                hex.append(String.format("%02X", bytes[place[1] + i]));
            }
            errors.add(
                    new Message(
                            file,
                            Places.line(text, place[0]),
                            Places.column(text, place[0]),
                            Message.ERROR,
                            "compiler.err.illegal.char.for.encoding",
                            "unmappable character (0x" + hex + ") for encoding " + charset.name()));
        }
        return new Text(text, errors);
    }
}
