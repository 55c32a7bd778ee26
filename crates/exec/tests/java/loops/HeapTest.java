package loops;

import java.lang.ref.WeakReference;
import java.text.ParsePosition;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import org.junit.Test;

/**
 * Loops that write. Those that are {@code proven} write the same again and again; those that are {@code open} would end,
 * if only after a long time, or grow.
 */
public class HeapTest {
    static final int LONG = 1_000_000_000;

    static class Cell {
        int value;
        Cell next;
        Object kept;
    }

    static int count;
    static final Cell SHARED = new Cell();

    static class Elsewhere {
        static final Cell CELL = new Cell();
        static final int[] COUNTS = new int[1];
    }

    /** A builder of the kind that programs write themselves. */
    public static class Text {
        protected char[] buffer = "to be or not to be".toCharArray();
        protected int size = buffer.length;

        private void deleteImpl(int start, int end, int length) {
            System.arraycopy(buffer, end, buffer, start, size - end);
            size -= length;
        }

        public int indexOf(char wanted, int from) {
            if (from < 0) {
                throw new IllegalArgumentException("from " + from);
            }
            char[] all = buffer;
            for (int i = from; i < size; i++) {
                if (all[i] == wanted) {
                    return i;
                }
            }
            return -1;
        }

        public void deleteAll(char wanted) {
            int index = indexOf(wanted, 0);
            while (index >= 0) {
                deleteImpl(index, index, 0);
                index = indexOf(wanted, index);
            }
        }
    }

    public abstract static class Matcher {
        public static final Matcher NONE = new NoMatcher();

        public abstract int match(char[] chars, int at);
    }

    static class NoMatcher extends Matcher {
        @Override
        public int match(char[] chars, int at) {
            return 0;
        }
    }

    static class CountingMatcher extends Matcher {
        static int calls;

        @Override
        public int match(char[] chars, int at) {
            return ++calls == LONG ? 1 : 0;
        }
    }

    static class Tokens {
        Matcher matcher = Matcher.NONE;
        Matcher other;
        final StringBuilder token = new StringBuilder();
        final List<String> found = new ArrayList<>();
        int pos;

        void read(char[] chars) {
            while (pos < chars.length) {
                token.setLength(0);
                token.append(chars, pos, 1);
                Matcher used = matcher == null ? Matcher.NONE : matcher;
                pos += used.match(chars, pos);
            }
        }
    }

    interface Work {
        int run();
    }

    static final class Flag {
        boolean isUp;
    }

    static final class Finalized {
        final Flag flag;

        Finalized(Flag flag) {
            this.flag = flag;
        }

        @Override
        protected void finalize() {
            flag.isUp = true;
        }
    }

    @Test
    public void provenField() {
        Cell cell = new Cell();
        while (cell.value < 5) {
            cell.value = 3;
        }
    }

    @Test
    public void provenText() {
        new Text().deleteAll('b');
    }

    @Test
    public void provenBuilder() {
        StringBuilder text = new StringBuilder();
        while (text.length() < 5) {
            text.append('a').append(1);
            text.setLength(0);
        }
    }

    @Test
    public void provenNewObjects() {
        Cell last = new Cell();
        while (last.value == 0) {
            Cell next = new Cell();
            next.kept = new int[][] {{1, 2}, {3}};
            next.next = new Cell();
            next.next.next = next;
            last = next;
        }
    }

    @Test
    public void provenNewStrings() {
        StringBuilder text = new StringBuilder("some");
        String last = "";
        while (last.length() < 10) {
            last = text.toString();
        }
    }

    @Test
    public void provenPosition() {
        seek("  text", new ParsePosition(0));
    }

    private static void seek(CharSequence text, ParsePosition position) {
        while (position.getIndex() < text.length() && Character.isWhitespace(text.charAt(0))) {
            position.setIndex(position.getIndex());
        }
    }

    @Test
    public void provenMatcher() {
        new Tokens().read("abc".toCharArray());
    }

    /** It comes round in the loop inside as well, with another number. */
    @Test
    public void provenAround() {
        Cell cell = new Cell();
        while (cell.value < 5) {
            Cell last = new Cell();
            for (int i = 0; i < 7; i++) {
                cell.value = 3;
                last = new Cell();
            }
        }
    }

    /** What is inside ends, however often it came round until then. */
    @Test
    public void openInside() {
        Cell cell = new Cell();
        for (int i = 0; i < 2_000; i++) {
            cell.value = 3;
        }
    }

    @Test
    public void provenStatic() {
        while (SHARED.value < 5) {
            SHARED.value = 3;
        }
    }

    @Test
    public void provenSynchronized() {
        Cell cell = new Cell();
        while (set(cell) < 5) {
            cell.value = 1;
        }
    }

    private static synchronized int set(Cell cell) {
        cell.value = 2;
        return cell.value;
    }

    @Test
    public void openDeepCounter() {
        Cell cell = new Cell();
        cell.next = new Cell();
        cell.next.next = new Cell();
        while (cell.next.next.value < LONG) {
            cell.next.next.value++;
        }
    }

    @Test
    public void openDeepElement() {
        Object[] outer = {new Object[] {new long[3]}};
        long[] inner = (long[]) ((Object[]) outer[0])[0];
        inner[1] = -LONG;
        inner = null;
        while (((long[]) ((Object[]) outer[0])[0])[1]++ < LONG) {
            count = 1;
        }
    }

    @Test
    public void openInList() {
        List<Cell> cells = new ArrayList<>();
        cells.add(new Cell());
        while (cells.get(0).value < LONG) {
            cells.get(0).value++;
        }
    }

    @Test
    public void openInExactList() {
        ArrayList<Cell> cells = new ArrayList<>();
        cells.add(new Cell());
        while (cells.get(0).value < LONG) {
            cells.get(0).value++;
        }
    }

    @Test
    public void openStaticCounter() {
        Cell cell = new Cell();
        while (count < LONG) {
            cell.value = 1;
            count++;
        }
    }

    @Test
    public void openStaticObject() {
        while (SHARED.value < LONG) {
            SHARED.value++;
        }
    }

    @Test
    public void openStaticOfOther() {
        while (Elsewhere.CELL.value < LONG) {
            Elsewhere.CELL.value++;
        }
    }

    @Test
    public void openStaticArrayOfOther() {
        while (Elsewhere.COUNTS[0] < LONG) {
            Elsewhere.COUNTS[0]++;
        }
    }

    @Test
    public void openIterator() {
        Cell cell = new Cell();
        for (Object each : Collections.nCopies(LONG, "a")) {
            cell.kept = each;
        }
    }

    @Test
    public void openIdentity() {
        Object kept = new Object();
        while (System.identityHashCode(kept) != 0) {
            kept = new Object();
        }
    }

    @Test
    public void openHash() {
        Cell kept = new Cell();
        while (kept.hashCode() != 0) {
            kept = new Cell();
        }
    }

    @Test
    public void openGrowingChain() {
        Cell last = new Cell();
        while (last.value == 0) {
            Cell next = new Cell();
            next.next = last;
            last = next;
        }
    }

    @Test
    public void openGrowingText() {
        StringBuilder text = new StringBuilder();
        while (text.length() < LONG) {
            text.append('a');
        }
    }

    /** What is counted is in a frame further out, and each call of the loop is a new one. */
    @Test
    public void openOuterFrame() {
        Cell cell = new Cell();
        for (int i = 0; i < LONG; i++) {
            twice(cell);
        }
    }

    private static void twice(Cell cell) {
        cell.value = 0;
        do {
            cell.value++;
        } while (cell.value < 2);
    }

    /** The same, but what is counted can only be got at by way of the thread. */
    @Test
    public void openThreadLocal() {
        ThreadLocal<Cell> local = ThreadLocal.withInitial(Cell::new);
        while (local.get().value < LONG) {
            local.get().value++;
        }
    }

    @Test
    public void openDigits() {
        int[] digits = new int[12];
        while (digits[11] == 0) {
            int at = 0;
            while (digits[at] == 9) {
                digits[at++] = 0;
            }
            digits[at]++;
        }
    }

    /** Compiled code keeps the counter in a register. */
    @Test
    public void openInRegister() {
        Cell written = new Cell();
        for (int i = 0; i < 30_000; i++) {
            countUp(written, 20);
        }
        countUp(written, LONG);
    }

    private static void countUp(Cell written, int most) {
        Cell counter = new Cell();
        while (counter.value < most) {
            counter.value++;
            written.value = 1;
        }
    }

    @Test
    public void openFinalizer() {
        Flag flag = new Flag();
        new Finalized(flag);
        Object kept = null;
        while (!flag.isUp) {
            kept = new int[100];
        }
    }

    @Test
    public void openWeak() {
        WeakReference<Object> reference = new WeakReference<>(new Object());
        Object kept = null;
        while (reference.get() != null) {
            kept = new int[100];
        }
    }

    private static void rotate(Object[] all) {
        Object first = all[0];
        System.arraycopy(all, 1, all, 0, all.length - 1);
        all[all.length - 1] = first;
    }

    @Test
    public void openRotatingCells() {
        Object[] all = new Object[1000];
        for (int i = 0; i < all.length; i++) {
            all[i] = new Cell();
        }
        Object wanted = all[900];
        while (all[0] != wanted) {
            rotate(all);
        }
    }

    @Test
    public void openRotatingStrings() {
        Object[] all = new Object[1000];
        for (int i = 0; i < all.length; i++) {
            all[i] = new String("x");
        }
        all[900] = "x";
        while (all[0] != "x") {
            rotate(all);
        }
    }

    @Test
    @SuppressWarnings("deprecation")
    public void openRotatingNumbers() {
        Object[] all = new Object[1000];
        for (int i = 0; i < all.length; i++) {
            all[i] = new Integer(1);
        }
        all[900] = 1;
        while (all[0] != Integer.valueOf(1)) {
            rotate(all);
        }
    }

    @Test
    public void openLambda() {
        Cell cell = new Cell();
        Work work = () -> count++;
        while (work.run() < LONG) {
            cell.value = 1;
        }
    }

    @Test
    public void openMatcher() {
        Tokens tokens = new Tokens();
        tokens.matcher = new CountingMatcher();
        tokens.read("abc".toCharArray());
    }

    @Test
    public void openRandom() {
        Random random = new Random(1);
        Cell cell = new Cell();
        while (cell.value != 12345) {
            cell.value = random.nextInt();
            cell.value = cell.value == 12345 ? 12345 : 0;
        }
    }

    @Test
    public void openTime() {
        Cell cell = new Cell();
        long start = System.nanoTime();
        while (System.nanoTime() - start < 2_000_000_000L) {
            cell.value = 1;
        }
    }

    @Test
    public void openOtherThread() throws InterruptedException {
        Flag flag = new Flag();
        Thread other = new Thread(() -> raise(flag));
        other.start();
        Cell cell = new Cell();
        while (!flag.isUp) {
            cell.value = 1;
        }
    }

    private static void raise(Flag flag) {
        try {
            Thread.sleep(2_000);
        } catch (InterruptedException e) {
            // Somebody gave up.
        }
        flag.isUp = true;
    }
}
