package braid.compiler;

import com.sun.source.tree.Tree;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.lang.model.element.Modifier;

/** The patched version of a method, to be compiled as an extra method of its class. */
final class Copy {
    final Patch patch;
    final Edit edit;
    /** The unpatched method. */
    final Outline.Method method;
    /** The patched body with its braces. */
    final String body;
    /** Where the body begins in the patched text. */
    final int bodyAt;
    /** The name of the extra method. */
    final String name;

    /** The number of the round that compiled it. */
    int round;
    /** Which one it is of the constructors' copies in its class file, from 1; 0 for the copy of a method. */
    int constructor;

    // Places in the bulk text.
    int start;
    int nameStart;
    int bodyStart;
    int end;

    private int nameAt = -1;
    private int bodyLine;

    Copy(Patch patch, Edit edit, Outline.Method method, String body, int bodyAt, String suffix) {
        this.patch = patch;
        this.edit = edit;
        this.method = method;
        this.body = body;
        this.bodyAt = bodyAt;
        this.name = method.name() + suffix;
    }

    /** The method as it stands in the patched text. */
    String source() {
        return edit.original.text.substring(method.start, method.bodyStart) + body;
    }

    /** Whether the method's name stands in the header where it can be replaced. */
    boolean findName() {
        List<? extends Tree> parameters = method.tree.getParameters();
        Outline outline = edit.original.outline;
        int limit = parameters.isEmpty() ? method.bodyStart : outline.start(parameters.get(0));
        Pattern pattern = Pattern.compile("\\b" + Pattern.quote(method.name()) + "\\s*\\(");
        Matcher matcher = pattern.matcher(outline.text).region(method.headerStart, limit);
        while (matcher.find()) {
            nameAt = matcher.start();
            if (parameters.isEmpty()) {
                break;
            }
        }
        return nameAt >= 0;
    }

    /** Adds the extra method to a text. A constructor becomes one too until the compiler has entered it. */
    void append(StringBuilder bulk, boolean privateInInterfaces) {
        String text = edit.original.text;
        bulk.append('\n');
        start = bulk.length();
        bulk.append(modifiers(privateInInterfaces));
        bulk.append(text, method.headerStart, nameAt);
        bulk.append(result());
        nameStart = bulk.length();
        bulk.append(name);
        bulk.append(text, nameAt + method.name().length(), method.bodyStart);
        bodyStart = bulk.length();
        bulk.append(body);
        end = bulk.length();
    }

    /** What a constructor has no more than a name for. */
    private String result() {
        return method.isConstructor() ? "void " : "";
    }

    /** No annotations: they cannot change what compiles, and some are wrong on a private method. */
    private String modifiers(boolean privateInInterfaces) {
        Set<Modifier> flags = method.tree.getModifiers().getFlags();
        String rest =
                (flags.contains(Modifier.STATIC) ? "static " : "")
                        + (flags.contains(Modifier.STRICTFP) ? "strictfp " : "");
        if (method.owner.tree.getKind() != Tree.Kind.INTERFACE || privateInInterfaces) {
            return "private " + rest;
        }
        return flags.contains(Modifier.STATIC) ? rest : "default " + rest;
    }

    /** The position in the patched text of a position in the extra method. */
    private int patchedPosition(int position) {
        int shift = bodyAt - method.bodyStart;
        if (position >= bodyStart) {
            return bodyAt + position - bodyStart;
        }
        if (position >= nameStart + name.length()) {
            return bodyAt - (bodyStart - position);
        }
        if (position >= nameStart) {
            return nameAt + shift;
        }
        int before = Math.max(0, nameStart - result().length() - position);
        return Math.max(method.headerStart, nameAt - before) + shift;
    }

    /** A message at a position of the bulk text, as compiling the patch alone would give it. */
    Message message(int position, String code, String text, String suffixes) {
        int at = patchedPosition(position);
        return new Message(
                edit.original.path,
                edit.line(at),
                edit.column(at),
                Message.ERROR,
                code,
                text.replaceAll(suffixes, ""));
    }

    /** The line of the patched text where the body begins. */
    int bodyLine() {
        if (bodyLine == 0) {
            bodyLine = edit.line(bodyAt);
        }
        return bodyLine;
    }
}
