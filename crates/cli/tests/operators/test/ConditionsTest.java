package operators;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

class ConditionsTest {
    @Test
    void smaller() {
        assertTrue(Conditions.less(1, 2));
    }

    @Test
    void equal() {
        assertFalse(Conditions.less(1, 1));
    }

    @Test
    void greater() {
        assertFalse(Conditions.less(2, 1));
    }

    @Test
    void same() {
        assertEquals(1, Conditions.same(3, 3));
    }

    @Test
    void other() {
        assertEquals(2, Conditions.same(3, 4));
    }

    @Test
    void young() {
        assertEquals("young", Conditions.group(10));
    }

    @Test
    void old() {
        assertEquals("old", Conditions.group(70));
    }

    @Test
    void both() {
        assertTrue(Conditions.and(true, true));
    }

    @Test
    void left() {
        assertFalse(Conditions.and(true, false));
    }

    @Test
    void neither() {
        assertFalse(Conditions.and(false, false));
    }

    @Test
    void one() {
        assertEquals(10, Conditions.price(1));
    }

    @Test
    void two() {
        assertEquals(20, Conditions.price(2));
    }

    @Test
    void none() {
        assertEquals(30, Conditions.price(9));
    }

    @Test
    void counts() {
        assertEquals(3, Conditions.steps(3));
    }
}
