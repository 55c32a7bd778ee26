package braid.runner;

import java.util.ArrayList;
import java.util.List;

/** Keeps the results of one unit until it is over, and what they say about the state of the JVM. */
final class Leaves implements Sink {
    private final String unit;
    private final List<Message.Out> finished = new ArrayList<>();
    private boolean failed;
    private String taint;
    private boolean shaken;

    Leaves(String unit) {
        this.unit = unit;
    }

    @Override
    public synchronized void send(Message.Out message) {
        if (message.number() == Message.LEAF_FINISHED) {
            finished.add(message);
        }
    }

    @Override
    public synchronized void threw(Throwable cause) {
        failed = true;
        Throwable thrown = cause;
        for (int i = 0; i < 8 && thrown != null; i++) {
            if (thrown instanceof StackOverflowError || thrown instanceof LinkageError) {
                shaken = true;
            } else if (thrown instanceof VirtualMachineError) {
                // It may have struck in the middle of the JDK's own bookkeeping.
                taint = thrown.getClass().getName();
            }
            thrown = thrown.getCause();
        }
    }

    synchronized boolean passed() {
        return !failed && !finished.isEmpty();
    }

    /** Why the JVM should not be used again; null if nothing speaks against it. */
    synchronized String taint() {
        return taint;
    }

    /** Whether the initialiser of a class may have failed, for want of stack or else. */
    synchronized boolean isShaken() {
        return shaken;
    }

    /** Appends the leaves, each without the unit, which the reader knows. */
    synchronized void copyTo(Message.Out out) {
        int unitLength = new Message.Out(0).text(unit).length();
        out.u32(finished.size());
        for (Message.Out leaf : finished) {
            leaf.copyTo(out, unitLength);
        }
    }
}
