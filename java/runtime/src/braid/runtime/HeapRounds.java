package braid.runtime;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/**
 * Looks for a loop that comes round with all that it can get at: objects may be others, but look the same. One visit is
 * remembered and all later ones of that call are compared with it; now and then, and when its call has ended, another one
 * is remembered. It must come round twice, so that what is done only once has been done.
 *
 * <p>A loop that makes objects gives the collector work to do, so no snapshot is taken where that might make code of the
 * program run on another thread. Nor where an agent may have given classes other code than the controller knows: a mock can
 * be of just the class that it stands for.
 */
final class HeapRounds {
    /** So many values are looked at in all snapshots together. */
    private static final int MOST = 2_000_000;

    private static final Class<?> AGENTS = Internals.type("sun.instrument.InstrumentationImpl");

    private final Thread thread;
    private final Threads threads;
    private Visit remembered;
    private Snapshot before;
    private final Set<Integer> passed = new TreeSet<>();
    /** How often it came round since, by the local variables that had other numbers. */
    private final Map<List<Integer>, Integer> times = new HashMap<>();

    private int seen;
    private int patience = 6;
    private int used;
    private Round found;

    HeapRounds(Thread thread, Threads threads) {
        this.thread = thread;
        this.threads = threads;
    }

    /** The loop that has come round with as few other numbers as possible; null if none has. */
    Round found() {
        return found;
    }

    void look(Visit visit) {
        seen++;
        if (found != null && visit.endsCallOf(found.visit)) {
            found = null;
        }
        boolean isOver = remembered == null || visit.endsCallOf(remembered);
        if (isOver || seen > patience) {
            patience *= isOver ? 1 : 2;
            remember(visit);
        } else if (visit.depth == remembered.depth) {
            compare(visit);
        }
    }

    private void compare(Visit visit) {
        passed.add(visit.place);
        List<Integer> changed = visit.numbersChangedSince(remembered);
        if (changed == null || found != null && found.changing.size() <= changed.size()) {
            return;
        }
        Snapshot now = snapshot(visit);
        if (now == null || !now.isLike(before) || Finalizers.mayRun()) {
            return;
        }
        if (times.merge(changed, 1, Integer::sum) == 2) {
            found = new Round(visit, passed, changed, now.types());
        }
    }

    private void remember(Visit visit) {
        before = Finalizers.mayRun() ? null : snapshot(visit);
        remembered = before == null ? null : visit;
        passed.clear();
        times.clear();
        seen = 0;
    }

    private Snapshot snapshot(Visit visit) {
        boolean isSure = visit.isComplete() && threads.isLast(thread) && !Internals.isInitialised(AGENTS);
        if (used > MOST || !isSure) {
            return null;
        }
        Snapshot snapshot = visit.snapshot();
        used += snapshot.length() + 100;
        return snapshot.isWhole() ? snapshot : null;
    }
}
