package braid.runner;

import braid.runtime.Braid;
import braid.runtime.Native;
import braid.runtime.OutOfFuel;
import braid.runtime.Reset;
import braid.runtime.Round;
import braid.runtime.Rounds;
import braid.runtime.Threads;
import java.lang.reflect.Modifier;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * One run of one unit. The thread of the run makes it and runs it; another one watches, and may take it away: who is
 * first to say that it is over, the run or the watching thread, takes down what came of it.
 */
final class Attempt {
    static final int FINISHED = 0;
    static final int OUT_OF_FUEL = 1;
    static final int OVER_TIME = 2;
    static final int IDLE = 3;

    /** How long a run may take to end once it has no fuel left, was interrupted, was stopped. */
    private static final long PATIENCE_MS = 250;

    final int trial;
    final int place;
    private final Order.Unit unit;
    private final Frameworks frameworks;
    private final Threads threads;
    private final Leaves leaves;
    private final Thread thread = Thread.currentThread();
    private final Rounds rounds;
    private final Standstill standstill;
    private final AtomicBoolean settled = new AtomicBoolean();
    private final long start = System.nanoTime();
    private volatile boolean over;
    private int end = FINISHED;
    private String stack = "";
    private boolean forGood;
    private boolean hadStack;
    private String taint;
    private long nanos;
    private long ticks;
    /** What the watching thread saw: fuel when it last looked, when something last moved, since when there is no fuel. */
    private long used = Long.MIN_VALUE;
    private long moved = start;
    private long exhausted;

    Attempt(int trial, int place, Order.Unit unit, Frameworks frameworks, Threads threads) {
        this.trial = trial;
        this.place = place;
        this.unit = unit;
        this.frameworks = frameworks;
        this.threads = threads;
        this.leaves = new Leaves(unit.id);
        this.rounds = new Rounds(thread, threads);
        this.standstill = new Standstill(thread, threads);
    }

    /** Runs the unit, on the thread that made this. */
    void run() {
        Braid.rounds = rounds;
        try {
            Iterator<Batch> batches = new Plan(Collections.singletonList(unit.id), frameworks);
            while (batches.hasNext()) {
                Batch batch = batches.next();
                Reporter reporter = new Reporter(leaves, batch.units());
                try {
                    touch(batch);
                    frameworks.runOne(batch, reporter);
                    reporter.end(null);
                } catch (Throwable e) {
                    reporter.end(e);
                }
            }
            frameworks.close();
        } catch (Throwable e) {
            leaves.threw(e);
            taint = "the run ended with " + e;
        } finally {
            over = true;
        }
    }

    /** Frameworks read static fields of test classes by reflection, past all guards. */
    private static void touch(Batch batch) {
        for (Group group : batch.groups) {
            Class<?> type = group.type;
            Reset.touch(type);
            while (type.isMemberClass() && !Modifier.isStatic(type.getModifiers())) {
                type = type.getEnclosingClass();
                Reset.touch(type);
            }
        }
    }

    /** Called when the run has ended; false if the watching thread has taken it. */
    boolean end() {
        if (!settled.compareAndSet(false, true)) {
            return false;
        }
        measure();
        hadStack = unit.stackBytes > 0 && standstill.isAlone() && Stacks.hold(unit.stackBytes);
        return true;
    }

    private void measure() {
        if (Braid.fuel < 0) {
            end = OUT_OF_FUEL;
        }
        ticks = unit.fuel - Math.max(Braid.fuel, 0);
        nanos = System.nanoTime() - start;
    }

    /** Whether the run has used up what it may use and does not end by itself; it is the caller's then. */
    boolean isTooLong() {
        long now = System.nanoTime();
        long fuel = Braid.fuel;
        if (fuel != used || !isStuck()) {
            used = fuel;
            moved = now;
        }
        int found = FINISHED;
        if (fuel < 0) {
            exhausted = exhausted == 0 ? now : exhausted;
            found = millis(now - exhausted) > PATIENCE_MS ? OUT_OF_FUEL : FINISHED;
        } else if (millis(now - start) > unit.wallMillis) {
            found = OVER_TIME;
        } else if (millis(now - moved) > unit.idleMillis) {
            found = IDLE;
        }
        if (found == FINISHED || !settled.compareAndSet(false, true)) {
            return false;
        }
        measure();
        end = found;
        forGood = found == IDLE && standstill.isForGood();
        return true;
    }

    private static long millis(long nanos) {
        return nanos / 1_000_000;
    }

    /** Waits for the end of a thread. */
    static boolean join(Thread thread, long millis) {
        try {
            thread.join(millis);
        } catch (InterruptedException e) {
            // Left over from a test that knows our thread; waiting has cleared it.
        }
        return !thread.isAlive();
    }

    /** Whether every thread of the program is blocked. */
    private boolean isStuck() {
        if (!isBlocked(thread)) {
            return false;
        }
        for (Thread other : threads.leftOver()) {
            if (!isBlocked(other)) {
                return false;
            }
        }
        return true;
    }

    private static boolean isBlocked(Thread thread) {
        switch (thread.getState()) {
            case BLOCKED:
            case WAITING:
            case TIMED_WAITING:
                return true;
            default:
                return false;
        }
    }

    /** Ends a run that was too long. Every tick throws from now on; then an interrupt, then a stop. */
    void stop() {
        if (!join(thread, 1)) {
            bringAboutEnd();
        }
        nanos = System.nanoTime() - start;
    }

    private void bringAboutEnd() {
        stack = Stacks.dump(thread);
        Braid.fuel = Long.MIN_VALUE / 2;
        thread.interrupt();
        List<Thread> others = threads.leftOver();
        others.remove(thread);
        others.forEach(Thread::interrupt);
        if (join(thread, PATIENCE_MS)) {
            return;
        }
        taint = "a thread had to be stopped";
        for (int i = 0; i < 3 && thread.isAlive(); i++) {
            Native.stop(thread, OutOfFuel.INSTANCE);
            thread.interrupt();
            join(thread, PATIENCE_MS);
        }
        if (thread.isAlive()) {
            taint = "a thread does not end";
        }
    }

    /** Whether all code of the program ran on a stack of the size that was asked for. */
    boolean hadStack() {
        return hadStack;
    }

    /** Whether the unit ended by itself and well. */
    boolean passed() {
        return end == FINISHED && over && leaves.passed();
    }

    /** Why the JVM should not be used again; null if nothing speaks against it. */
    String taint() {
        if (taint != null || leaves.taint() != null) {
            return taint == null ? leaves.taint() : taint;
        }
        String broken = leaves.isShaken() ? Native.broken() : null;
        return broken == null ? null : broken + " could not be initialised";
    }

    /** Appends how it ended, what it used and its results. */
    void copyTo(Message.Out out) {
        out.u8(end);
        if (end == OUT_OF_FUEL) {
            rounds(out);
        }
        if (end == OVER_TIME || end == IDLE) {
            out.text(stack);
        }
        if (end == IDLE) {
            out.bool(forGood);
        }
        out.u64(ticks).u64(nanos);
        leaves.copyTo(out);
    }

    /** The loops that came round. */
    private void rounds(Message.Out out) {
        List<Round> found = over ? rounds.found() : Collections.emptyList();
        out.u32(found.size());
        for (Round round : found) {
            round.call.forEach(out::text);
            numbers(out, round.places);
            numbers(out, round.changing);
            out.bool(round.reach != null);
            if (round.reach != null) {
                out.u32(round.reach.size());
                round.reach.forEach(out::text);
            }
        }
    }

    private static void numbers(Message.Out out, List<Integer> numbers) {
        out.u32(numbers.size());
        numbers.forEach(out::u32);
    }
}
