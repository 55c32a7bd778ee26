package braid.compiler;

import com.sun.source.tree.Tree;
import java.util.ArrayList;
import java.util.List;

/** A patched method that does not parse, with the next member of its class behind it. */
final class NearbyTask extends IsolatedTask {
    NearbyTask(Copy copy) {
        super(copy);
    }

    @Override
    String text() {
        String alone = super.text();
        return alone.substring(0, end()) + "\n" + copy.method.next + alone.substring(end());
    }

    /** Where the next member begins. */
    private int next() {
        return end() + 1;
    }

    /** Whether the next member comes out as it was and has no errors, but for one at its beginning. */
    @Override
    boolean isWhole(Parsing parsing, int index) {
        List<? extends Tree> members = members(parsing, index);
        int last = isEnum() ? end() - 1 : next(); // the parser has ways of its own to go on in an enum
        return members.size() == 2
                && isMethod(members.get(0), parsing, index)
                && spans(members.get(1), parsing, index, next(), next() + copy.method.next.length())
                && parsing.places(index).stream().allMatch(at -> start() <= at && at <= last);
    }

    private boolean isEnum() {
        return copy.method.owner.tree.getKind() == Tree.Kind.ENUM;
    }

    /** The errors with their places in the patched file. */
    List<Message> messages(Parsing parsing, int index) {
        List<Message> errors = parsing.errors(index);
        List<Message> messages = new ArrayList<>();
        for (int i = 0; i < errors.size(); i++) {
            Message error = errors.get(i);
            int place = parsing.places(index).get(i);
            int at =
                    place < next()
                            ? place - start() + copy.method.start
                            : edit.moved(copy.method.nextStart);
            messages.add(
                    new Message(
                            error.file,
                            edit.line(at),
                            edit.column(at),
                            Message.ERROR,
                            error.code,
                            error.text));
        }
        return messages;
    }
}
