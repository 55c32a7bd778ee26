package strands;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

class StateTest {
    @Test
    void everythingIsNew() {
        assertEquals(1, State.next());
        State.instance();
        assertEquals(12, State.next());
        assertEquals(3, State.cached("abc"));
        assertEquals(-3, State.cached("abc"));
        assertEquals("x", State.buffered("x"));
        assertEquals("no", State.property());
        assertEquals(1, State.named("n"));
        assertEquals(2, State.logged());
    }

    @Test
    void fieldsAreAsTheyWere() throws ReflectiveOperationException {
        assertEquals("as it was", State.written());
        assertEquals("written", State.written());
    }

    @Test
    void constantsHaveTheirValues() {
        assertEquals(20, State.distance("FAR"));
    }

    @Test
    void initialisersRunInTheirOrder() {
        assertEquals(7 + 11 + 1, State.seeded());
    }

    @Test
    void builtByRecursion() {
        assertEquals(3, State.built());
    }
}
