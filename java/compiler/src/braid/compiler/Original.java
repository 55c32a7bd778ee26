package braid.compiler;

import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.stream.IntStream;

/** An unpatched source file. */
final class Original {
    private static final int STEP = 4096;

    final String path;
    final byte[] bytes;
    /** Null if the bytes are no text. */
    final String text;
    /** Null if the text does not parse. */
    Outline outline;

    private int[] checkpoints;
    private int[] lineStarts;

    Original(String path, byte[] bytes, Charset charset) {
        this.path = path;
        this.bytes = bytes;
        text = Text.of(bytes, charset);
        if (charset.equals(StandardCharsets.UTF_8) && text != null && text.length() != bytes.length) {
            checkpoints = new int[bytes.length / STEP + 1];
            for (int i = 1; i < checkpoints.length; i++) {
                checkpoints[i] = checkpoints[i - 1] + chars((i - 1) * STEP, i * STEP);
            }
        }
    }

    boolean usable() {
        return outline != null;
    }

    /** The position in the text of a position in the bytes, for UTF-8 and charsets of one byte. */
    int position(int offset) {
        if (checkpoints == null) {
            return offset;
        }
        int step = offset / STEP;
        return checkpoints[step] + chars(step * STEP, offset);
    }

    /** The last line that begins before a position, whatever may stand from there on; from 1. */
    int lineBefore(int position) {
        int found = Arrays.binarySearch(lineStarts(), position);
        int index = found >= 0 ? found - 1 : -found - 2; // a line that begins there is left out
        return Math.max(index, 0) + 1;
    }

    /** The line of a position, from 1. */
    int line(int position) {
        return lineBefore(position + 1);
    }

    int lines() {
        return lineStarts().length;
    }

    /** Where a line begins. */
    int lineStart(int line) {
        return lineStarts()[line - 1];
    }

    private int[] lineStarts() {
        if (lineStarts == null) {
            IntStream.Builder starts = IntStream.builder().add(0);
            for (int i = 0; i < text.length(); i++) {
                if (Places.line(text, i, i + 1) > 1) {
                    starts.add(i + 1);
                }
            }
            lineStarts = starts.build().toArray();
        }
        return lineStarts;
    }

    /** How many UTF-16 units the characters that begin in a range of UTF-8 have. */
    private int chars(int from, int to) {
        int count = 0;
        for (int i = from; i < to; i++) {
            boolean continues = (bytes[i] & 0xc0) == 0x80;
            boolean pair = (bytes[i] & 0xf8) == 0xf0;
            count += continues ? 0 : pair ? 2 : 1;
        }
        return count;
    }
}
