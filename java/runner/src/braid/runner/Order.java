package braid.runner;

import java.util.ArrayList;
import java.util.List;

/** A request for trials, as the controller has put it. */
final class Order {
    /** A unit and what it may use. */
    static final class Unit {
        final String id;
        final long fuel;
        final long wallMillis;
        final long idleMillis;
        /** The stack of its thread; 0 if that is the usual one. */
        final long stackBytes;

        Unit(Message.In in) {
            id = in.text();
            fuel = in.u64();
            wallMillis = in.u32() & 0xffffffffL;
            idleMillis = in.u32() & 0xffffffffL;
            stackBytes = (in.u32() & 0xffffffffL) * 1024;
        }
    }

    /** A variant and the units to run with it, by their place in the order. */
    static final class Trial {
        final int variant;
        final boolean stopAtFailure;
        final int[] units;

        Trial(Message.In in) {
            variant = in.u32();
            stopAtFailure = in.bool();
            units = new int[in.u32()];
            for (int i = 0; i < units.length; i++) {
                units[i] = in.u32();
            }
        }
    }

    final List<Unit> units = new ArrayList<>();
    final List<Trial> trials = new ArrayList<>();
    /** Whether coverage is wanted. */
    final boolean record;

    Order(Message.In in) {
        for (int left = in.u32(); left > 0; left--) {
            units.add(new Unit(in));
        }
        for (int left = in.u32(); left > 0; left--) {
            trials.add(new Trial(in));
        }
        record = in.bool();
    }
}
