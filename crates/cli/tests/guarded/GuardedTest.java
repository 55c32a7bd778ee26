package guarded;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

class GuardedTest {
    @Test
    void sums() {
        assertEquals(10, Guarded.sum(5));
    }

    @Test
    void multiplies() {
        assertEquals(24, Guarded.factorial(4));
    }

    @Test
    void stays() {
        assertTrue(Guarded.quit(0));
    }

    @Test
    void countsFromOne() {
        assertEquals(1, Guarded.count());
        assertEquals(2, Guarded.count());
    }

    @Test
    void largeAndSmall() {
        assertTrue(Guarded.isLarge(1000));
        assertFalse(Guarded.isLarge(1));
    }

    @Test
    void adds() {
        Guarded.ignored(1);
    }
}
