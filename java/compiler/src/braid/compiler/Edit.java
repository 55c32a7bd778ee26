package braid.compiler;

import java.nio.charset.Charset;

/** One patched file: the original with one region replaced. As characters it is the patched text. */
final class Edit implements CharSequence {
    final Original original;
    /** The region in the original's text. */
    final int start;

    final int end;
    /** What stands there in the patched file; null if its bytes are no text. */
    final String middle;

    /** A position of the original behind the region where a line begins, and how many lines it moves by. */
    private int knownAt = -1;

    private int knownShift;

    /** Reads an edit given in bytes: common bytes before, common bytes after, and what is between. */
    Edit(Wire.In in, Original[] originals, Charset charset) {
        original = originals[in.number()];
        int before = in.number();
        int after = in.number();
        byte[] between = in.blob();
        String old = original.text;
        String text = Text.of(between, charset);
        if (old == null || text == null) {
            start = 0;
            end = 0;
            middle = null;
            return;
        }
        int from = original.position(before);
        int to = original.position(original.bytes.length - after);
        int head = 0;
        int shorter = Math.min(to - from, text.length());
        while (head < shorter && old.charAt(from + head) == text.charAt(head)) {
            head++;
        }
        int tail = 0;
        while (tail < shorter - head
                && old.charAt(to - 1 - tail) == text.charAt(text.length() - 1 - tail)) {
            tail++;
        }
        start = from + head;
        end = to - tail;
        middle = text.substring(head, text.length() - tail);
    }

    boolean usable() {
        return middle != null && original.usable();
    }

    /** The whole patched text. */
    String patched() {
        return original.text.substring(0, start) + middle + original.text.substring(end);
    }

    /** The line in the patched text of a position there. */
    int line(int position) {
        int line = original.lineBefore(Math.min(position, start));
        return line + Places.line(this, original.lineStart(line), position) - 1;
    }

    /** The line in the patched text of a position in the original that is outside of the region. */
    int lineOf(int inOriginal) {
        int line = original.line(inOriginal);
        if (inOriginal <= start) {
            return line;
        }
        if (knownAt < 0) {
            int next = original.line(end) + 1;
            knownAt = next > original.lines() ? Integer.MAX_VALUE : original.lineStart(next);
            knownShift = knownAt == Integer.MAX_VALUE ? 0 : line(moved(knownAt)) - next;
        }
        return inOriginal >= knownAt ? line + knownShift : line(moved(inOriginal));
    }

    /** The position in the patched text of a position in the original behind the region. */
    int moved(int inOriginal) {
        return inOriginal - (end - start) + middle.length();
    }

    /** The column in the patched text of a position there. */
    int column(int position) {
        return Places.column(this, position);
    }

    @Override
    public char charAt(int index) {
        if (index < start) {
            return original.text.charAt(index);
        }
        int inside = index - start;
        return inside < middle.length()
                ? middle.charAt(inside)
                : original.text.charAt(end + inside - middle.length());
    }

    @Override
    public int length() {
        return original.text.length() - (end - start) + middle.length();
    }

    @Override
    public CharSequence subSequence(int from, int to) {
        return patched().subSequence(from, to);
    }
}
