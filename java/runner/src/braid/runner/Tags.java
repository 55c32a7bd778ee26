package braid.runner;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;

/**
 * Which tests take part, by tags. Each expression is a tag or combines tags with {@code !},
 * {@code &}, {@code |} and parentheses, in this order of binding.
 */
final class Tags {
    private final List<Predicate<Set<String>>> include = new ArrayList<>();
    private final List<Predicate<Set<String>>> exclude = new ArrayList<>();

    Tags(List<String> include, List<String> exclude) {
        include.forEach(text -> this.include.add(new Parser(text).parse()));
        exclude.forEach(text -> this.exclude.add(new Parser(text).parse()));
    }

    boolean accept(Set<String> tags) {
        return (include.isEmpty() || include.stream().anyMatch(one -> one.test(tags)))
                && exclude.stream().noneMatch(one -> one.test(tags));
    }

    private static final class Parser {
        private final String text;
        private int at;

        Parser(String text) {
            this.text = text;
        }

        Predicate<Set<String>> parse() {
            Predicate<Set<String>> all = or();
            if (peek() != 0) {
                throw new IllegalArgumentException("bad tag expression: " + text);
            }
            return all;
        }

        private Predicate<Set<String>> or() {
            Predicate<Set<String>> left = and();
            while (take('|')) {
                left = left.or(and());
            }
            return left;
        }

        private Predicate<Set<String>> and() {
            Predicate<Set<String>> left = not();
            while (take('&')) {
                left = left.and(not());
            }
            return left;
        }

        private Predicate<Set<String>> not() {
            if (take('!')) {
                return not().negate();
            }
            if (take('(')) {
                Predicate<Set<String>> inner = or();
                if (!take(')')) {
                    throw new IllegalArgumentException("missing ) in tag expression: " + text);
                }
                return inner;
            }
            return tag();
        }

        private Predicate<Set<String>> tag() {
            peek();
            int start = at;
            while (at < text.length() && "!&|()".indexOf(text.charAt(at)) < 0) {
                at++;
            }
            String tag = text.substring(start, at).trim();
            switch (tag) {
                case "":
                    throw new IllegalArgumentException("missing tag in expression: " + text);
                case "any":
                    // With parentheses in the JUnit Platform's language.
                    return take('(') && take(')') ? tags -> !tags.isEmpty() : has(tag);
                case "none":
                    return take('(') && take(')') ? Set::isEmpty : has(tag);
                default:
                    return has(tag);
            }
        }

        private static Predicate<Set<String>> has(String tag) {
            return tags -> tags.contains(tag);
        }

        /** The next character that is no blank; 0 at the end. */
        private char peek() {
            while (at < text.length() && Character.isWhitespace(text.charAt(at))) {
                at++;
            }
            return at < text.length() ? text.charAt(at) : 0;
        }

        private boolean take(char c) {
            if (peek() == c) {
                at++;
                return true;
            }
            return false;
        }
    }
}
