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

    @Override
    boolean isWhole(Parsing parsing, int index) {
        List<? extends Tree> members = members(parsing, index);
        int next = end() + 1;
        return members.size() == 2
                && isMethod(members.get(0), parsing, index)
                && spans(members.get(1), parsing, index, next, next + copy.method.next.length())
                && parsing.places(index).stream().allMatch(at -> start() <= at && at < end());
    }

    /** The errors with their places in the patched file. */
    List<Message> messages(Parsing parsing, int index) {
        List<Message> errors = parsing.errors(index);
        List<Message> messages = new ArrayList<>();
        for (int i = 0; i < errors.size(); i++) {
            Message error = errors.get(i);
            int at = parsing.places(index).get(i) - start() + copy.method.start;
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
