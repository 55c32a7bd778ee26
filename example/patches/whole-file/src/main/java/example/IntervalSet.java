package example;

import java.util.Map;
import java.util.TreeMap;

/** A set of integers, kept as intervals that neither overlap nor touch. */
public final class IntervalSet {
    /** The last number of each interval, by its first. */
    private final TreeMap<Integer, Integer> ends = new TreeMap<>();

    /** Adds all numbers from {@code start} to {@code end}, both included. */
    public void add(int start, int end) {
        if (start > end) {
            throw new IllegalArgumentException("empty interval: " + start + ".." + end);
        }
        int first = start;
        int last = end;
        Map.Entry<Integer, Integer> left = ends.floorEntry(start);
        if (left != null && left.getValue() >= start - 1) {
            first = left.getKey();
            last = Integer.max(end, left.getValue());
        }
        Map.Entry<Integer, Integer> right = ends.higherEntry(first);
        while (right != null && right.getKey() <= last + 1) {
            last = Math.max(last, right.getValue());
            ends.remove(right.getKey());
            right = ends.higherEntry(first);
        }
        ends.put(first, last);
    }

    /** Whether {@code number} is in the set. */
    public boolean contains(int number) {
        Map.Entry<Integer, Integer> left = ends.floorEntry(number);
        return left != null && number <= left.getValue();
    }

    /** How many numbers are in the set. */
    public long size() {
        long size = 0;
        for (Map.Entry<Integer, Integer> interval : ends.entrySet()) {
            size += (long) interval.getValue() - interval.getKey() + 1;
        }
        return size;
    }

    /** How many intervals there are. */
    public int intervals() {
        return ends.size();
    }

    @Override
    public String toString() {
        StringBuilder text = new StringBuilder();
        for (Map.Entry<Integer, Integer> interval : ends.entrySet()) {
            if (text.length() > 0) {
                text.append(' ');
            }
            text.append(interval.getKey()).append("..").append(interval.getValue());
        }
        return text.toString();
    }
}
