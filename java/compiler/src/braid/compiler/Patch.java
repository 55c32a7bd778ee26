package braid.compiler;

import java.nio.charset.Charset;
import java.util.ArrayList;
import java.util.List;

/** A patch and what became of it: exactly one of errors, copies, or to be compiled alone. */
final class Patch {
    static final int ERRORS = 0;
    static final int COPIES = 1;
    static final int ALONE = 2;

    /** In the order of the paths. */
    final List<Edit> edits = new ArrayList<>();

    final List<Copy> copies = new ArrayList<>();
    List<Message> errors;
    int road = COPIES;
    String reason = "";

    Patch(Wire.In in, Original[] originals, Charset charset) {
        int count = in.number();
        for (int i = 0; i < count; i++) {
            edits.add(new Edit(in, originals, charset));
        }
    }

    boolean open() {
        return road == COPIES;
    }

    /** To be compiled alone, because of this. */
    void alone(String reason) {
        road = ALONE;
        this.reason = reason;
    }

    void fail(List<Message> errors) {
        road = ERRORS;
        this.errors = errors;
    }

    void write(Wire.Out out) {
        out.octet(road).text(reason);
        if (road == ERRORS) {
            Message.writeAll(errors, out);
        } else if (road == COPIES) {
            out.number(copies.size());
            for (Copy copy : copies) {
                out.number(copy.round)
                        .text(copy.method.owner.name)
                        .text(copy.method.tree.getName().toString())
                        .text(copy.name)
                        .number(copy.constructor);
            }
        }
    }
}
