package braid.compiler;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/** An unpatched file with copies of its methods at the end of their classes. */
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
        int done = 0;
        for (Copy copy : this.copies) {
            int closing = copy.method.owner.end - 1;
            bulk.append(original.text, done, closing);
            done = closing;
            copy.append(bulk, privateInInterfaces);
        }
        bulk.append(original.text, done, original.text.length());
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
}
