package strands;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import org.junit.jupiter.api.Test;

class ModernTest {
    @Test
    void points() {
        assertEquals(7, new Modern.Point(3, 4).sum());
        assertEquals(new Modern.Point(0, 4), new Modern.Point(0, 4));
        assertThrows(IllegalArgumentException.class, () -> new Modern.Point(-1, 0));
    }

    @Test
    void areas() {
        assertEquals(12, Modern.area(new Modern.Circle(2)));
        assertEquals(9, Modern.area(new Modern.Square(3)));
    }

    @Test
    void names() {
        assertEquals("weekend", Modern.named(7));
        assertEquals("day 2", Modern.named(2));
    }
}
