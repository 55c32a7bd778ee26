package example;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class IntervalSetTest {
    private final IntervalSet set = new IntervalSet();

    private IntervalSet of(String intervals) {
        for (String interval : intervals.split(" ")) {
            String[] ends = interval.split("\\.\\.");
            set.add(Integer.parseInt(ends[0]), Integer.parseInt(ends[1]));
        }
        return set;
    }

    @Test
    void isEmptyAtFirst() {
        assertEquals(0, set.size());
        assertEquals("", set.toString());
        assertFalse(set.contains(0));
    }

    /** Rows 3 to 5 fail because of the bug: the longer end of two overlapping intervals is lost. */
    @ParameterizedTest
    @CsvSource({
        "1..3 7..9, 1..3 7..9",
        "7..9 1..3, 1..3 7..9",
        "1..3 2..5, 1..5",
        "1..3 4..6, 1..6",
        "1..3 7..9 2..8, 1..9",
        "1..9 3..4, 1..9",
        "3..4 1..9, 1..9",
    })
    void mergesWhatOverlapsOrTouches(String added, String expected) {
        assertEquals(expected, of(added).toString());
    }

    @Test
    void containsWhatWasAdded() {
        of("1..3 7..9");
        for (int number = 0; number <= 10; number++) {
            boolean expected = number >= 1 && number <= 3 || number >= 7 && number <= 9;
            assertEquals(expected, set.contains(number), "number " + number);
        }
    }

    @Test
    void countsItsNumbers() {
        assertEquals(6, of("1..3 7..9").size());
        assertEquals(2, set.intervals());
    }

    @Test
    void growsToTheRight() {
        of("1..3 3..10");
        assertTrue(set.contains(10));
        assertEquals(10, set.size());
    }

    @Test
    void refusesEmptyIntervals() {
        assertThrows(IllegalArgumentException.class, () -> set.add(2, 1));
    }
}
