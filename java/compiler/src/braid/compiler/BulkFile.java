package braid.compiler;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * An unpatched file with copies of its methods at the end of their classes. The bodies of its own methods are left out
 * where that makes no difference to the copies.
 */
final class BulkFile {
    final Original original;
    /** In the order of the text. */
    final List<Copy> copies;

    final SourceFile source;
    /** Where pieces of the unpatched text begin, here and there. */
    private final TreeMap<Integer, Integer> pieces = new TreeMap<>();

    BulkFile(Original original, List<Copy> copies, boolean privateInInterfaces) {
        this.original = original;
        this.copies = new ArrayList<>(copies);
        this.copies.sort(Comparator.comparingInt(copy -> copy.method.owner.end));
        StringBuilder bulk = new StringBuilder(original.text.length() + 1024 * copies.size());
        Skeleton skeleton = new Skeleton(original.outline, pieces);
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

    /** The position in the unpatched text of a position outside of the copies. */
    int originalPosition(int position) {
        Map.Entry<Integer, Integer> piece = pieces.floorEntry(position);
        return position - piece.getKey() + piece.getValue();
    }

    /** Appends a text piece by piece, without comments and with short bodies. */
    private static final class Skeleton {
        private static final String BODY = "{throw null;}";

        private final Outline outline;
        private final TreeMap<Integer, Integer> pieces;
        private int done;
        private int next;

        Skeleton(Outline outline, TreeMap<Integer, Integer> pieces) {
            this.outline = outline;
            this.pieces = pieces;
        }

        /** Goes on to a position outside of all bodies. */
        void appendTo(StringBuilder bulk, int position) {
            List<Outline.Method> methods = outline.methods;
            for (; next < methods.size() && methods.get(next).bodyStart < position; next++) {
                Outline.Method method = methods.get(next);
                if (method.isReplaceable()) {
                    piece(bulk, method.bodyStart);
                    bulk.append(BODY);
                    done = method.bodyEnd;
                }
            }
            piece(bulk, position);
        }

        private void piece(StringBuilder bulk, int end) {
            pieces.put(bulk.length(), done);
            bulk.append(outline.quiet(), done, end);
            done = end;
        }
    }
}
