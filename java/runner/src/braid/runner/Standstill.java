package braid.runner;

import braid.runtime.Threads;

/** Tells whether a thread that has stood still for a while does so for ever. */
final class Standstill {
    private final Thread thread;
    private final Threads threads;
    private final long made = mark();

    /** A run begins on this thread, and there is no other thread of the program. */
    Standstill(Thread thread, Threads threads) {
        this.thread = thread;
        this.threads = threads;
    }

    /**
     * Whether the thread waits for another thread of the program, and the run has made none. Others who might wake it,
     * such as those of the JDK that hold a lock for a moment, have had their time.
     */
    boolean isForGood() {
        boolean waits = thread.getState() == Thread.State.WAITING || isAtPipe();
        return waits && isAlone();
    }

    /** Whether nobody but the thread has run code of the program. It can be asked once. */
    boolean isAlone() {
        return threads.isLast(thread) && mark() == made + 1;
    }

    /**
     * Whether the thread reads from an empty pipe or writes to a full one. It looks each second whether the other side
     * has done something, or has ended; the other side is this thread, as there was no other.
     */
    private boolean isAtPipe() {
        for (StackTraceElement frame : thread.getStackTrace()) {
            if (!frame.getClassName().equals("java.lang.Object")) {
                return frame.getClassName().equals("java.io.PipedReader")
                        || frame.getClassName().equals("java.io.PipedInputStream");
            }
        }
        return false;
    }

    /** Threads are numbered as they are made: two marks without a thread in between follow on one another. */
    private static long mark() {
        return new Thread(null, null, "braid-mark").getId();
    }
}
