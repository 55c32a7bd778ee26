package operators;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class ObjectsTest {
    @Test
    void greets() {
        assertEquals("me", Objects.greeting(" me "));
    }

    @Test
    void greetsNobody() {
        assertEquals("", Objects.greeting(""));
    }

    @Test
    void knows() {
        assertTrue(Objects.known(List.of("a"), "a"));
    }

    @Test
    void knowsNot() {
        assertFalse(Objects.known(List.of("a"), "b"));
    }

    @Test
    void keepsTheObject() {
        assertEquals("x", Objects.self("x"));
    }

    @Test
    void measures() {
        assertEquals(3, Objects.length("abc"));
    }

    @Test
    void greatest() {
        assertEquals(5, Objects.greatest(3, 5));
    }

    @Test
    void makes() {
        assertNotNull(Objects.made());
    }

    @Test
    void clears() {
        List<String> names = new ArrayList<>(List.of("a"));
        Objects.clear(names);
        assertTrue(names.isEmpty());
    }

    @Test
    void clearsOnly() {
        Objects.clear(new ArrayList<>(List.of("a")));
    }

    @Test
    void remembers() {
        assertEquals(4, new Objects().remember(4));
    }
}
