package braid.compiler;

/** Lines and columns of a text, counted as javac counts them. */
final class Places {
    private static final int TAB = 8;

    private Places() {}

    /** The line of a position, from 1. */
    static int line(CharSequence text, int position) {
        return line(text, 0, position);
    }

    /** The line of a position, with 1 for that of another position. */
    static int line(CharSequence text, int from, int position) {
        int line = 1;
        for (int i = from; i < position; i++) {
            char c = text.charAt(i);
            boolean pair = c == '\r' && i + 1 < text.length() && text.charAt(i + 1) == '\n';
            if (c == '\n' || c == '\r' && !pair) {
                line++;
            }
        }
        return line;
    }

    /** The column of a position, from 1, with tabs expanded. */
    static int column(CharSequence text, int position) {
        int start = position;
        while (start > 0 && text.charAt(start - 1) != '\n' && text.charAt(start - 1) != '\r') {
            start--;
        }
        int column = 0;
        for (int i = start; i < position; i++) {
            column = text.charAt(i) == '\t' ? column / TAB * TAB + TAB : column + 1;
        }
        return column + 1;
    }
}
