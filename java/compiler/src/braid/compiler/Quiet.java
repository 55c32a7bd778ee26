package braid.compiler;

/** Blanks out parts of Java text: every character becomes a space, but for those that make lines and columns. */
final class Quiet {
    private Quiet() {}

    /** The text without its comments; as it is if it has escapes that could hide one. */
    static String comments(String text) {
        if (text.contains("\\u")) {
            return text;
        }
        char[] chars = text.toCharArray();
        int at = 0;
        while (at < chars.length) {
            char c = chars[at];
            if (c == '"' && text.startsWith("\"\"\"", at)) {
                at = literalEnd(text, at + 3, "\"\"\"");
            } else if (c == '"' || c == '\'') {
                at = literalEnd(text, at + 1, String.valueOf(c));
            } else if (text.startsWith("//", at)) {
                int end = at;
                while (end < chars.length && chars[end] != '\n' && chars[end] != '\r') {
                    end++;
                }
                blank(chars, at, end);
                at = end;
            } else if (text.startsWith("/*", at)) {
                int end = text.indexOf("*/", at + 2);
                end = end < 0 ? chars.length : end + 2;
                blank(chars, at, end);
                at = end;
            } else {
                at++;
            }
        }
        return new String(chars);
    }

    /** The text without comments and with one space for any white space, that in literals left as it is. */
    static String tokens(String text) {
        String quiet = comments(text);
        StringBuilder tokens = new StringBuilder(quiet.length());
        int at = 0;
        while (at < quiet.length()) {
            char c = quiet.charAt(at);
            int end = at + 1;
            if (c == '"' && quiet.startsWith("\"\"\"", at)) {
                end = literalEnd(quiet, at + 3, "\"\"\"");
            } else if (c == '"' || c == '\'') {
                end = literalEnd(quiet, at + 1, String.valueOf(c));
            }
            boolean space = Character.isWhitespace(c);
            boolean again = tokens.length() > 0 && tokens.charAt(tokens.length() - 1) == ' ';
            if (!space) {
                tokens.append(quiet, at, Math.min(end, quiet.length()));
            } else if (!again) {
                tokens.append(' ');
            }
            at = end;
        }
        return tokens.toString().trim();
    }

    private static int literalEnd(String text, int at, String quote) {
        while (at < text.length() && !text.startsWith(quote, at)) {
            at += text.charAt(at) == '\\' ? 2 : 1;
        }
        return at + quote.length();
    }

    static void blank(char[] chars, int from, int to) {
        for (int i = from; i < to; i++) {
            char c = chars[i];
            if (c != '\n' && c != '\r' && c != '\t' && c != '\f') {
                chars[i] = ' ';
            }
        }
    }
}
