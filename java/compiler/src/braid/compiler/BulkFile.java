package braid.compiler;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * An unpatched file with copies of its methods at the end of their classes. The bodies of its own methods are left out
 * where that makes no difference to the copies.
 */
final class BulkFile {
    final Original original;
    /** In the order of the text. */
    final List<Copy> copies;

    final SourceFile source;

    BulkFile(Original original, List<Copy> copies, boolean privateInInterfaces) {
        this.original = original;
        this.copies = new ArrayList<>(copies);
        this.copies.sort(Comparator.comparingInt(copy -> copy.method.owner.end));
        StringBuilder bulk = new StringBuilder(original.text.length() + 1024 * copies.size());
        Skeleton skeleton = new Skeleton(original.outline);
        for (Copy copy : this.copies) {
            skeleton.appendTo(bulk, copy.method.owner.end - 1);
            copy.append(bulk, privateInInterfaces);
        }
        skeleton.appendTo(bulk, original.text.length());
        source = new SourceFile(original.path, bulk.toString());
    }

    /** The copy that a position of the text lies in; null if there is none. */
    Copy copyAt(long position) {
        int low = 0;
        int high = copies.size() - 1;
        while (low <= high) {
            int middle = (low + high) >>> 1;
            Copy copy = copies.get(middle);
            if (position < copy.start) {
                high = middle - 1;
            } else if (position >= copy.end) {
                low = middle + 1;
            } else {
                return copy;
            }
        }
        return null;
    }

    /** Appends a text piece by piece, with short bodies. */
    private static final class Skeleton {
        private static final String BODY = "{throw null;}";

        private final Outline outline;
        private int done;
        private int next;

        Skeleton(Outline outline) {
            this.outline = outline;
        }

        /** Goes on to a position outside of all bodies. */
        void appendTo(StringBuilder bulk, int position) {
            List<Outline.Method> methods = outline.methods;
            for (; next < methods.size() && methods.get(next).bodyStart < position; next++) {
                Outline.Method method = methods.get(next);
                if (method.isReplaceable()) {
                    bulk.append(outline.text, done, method.bodyStart).append(BODY);
                    done = method.bodyEnd;
                }
            }
            bulk.append(outline.text, done, position);
            done = position;
        }
    }
}
