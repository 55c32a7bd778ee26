package strands;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.Arrays;
import org.junit.jupiter.api.Test;

class ShapesTest {
    private final Shapes shapes = new Shapes(5);

    @Test
    void labelled() {
        assertEquals(3, shapes.labelled(new int[][] {{1, -1, 2}, {1, 2, 9, 4}, {1}}, 9));
    }

    @Test
    void guarded() {
        assertEquals("12!", shapes.guarded("12"));
        assertEquals("bad!", shapes.guarded("x"));
    }

    @Test
    void switched() {
        assertEquals(1, shapes.switched("one"));
        assertEquals(5, shapes.switched("three"));
    }

    @Test
    void mapped() {
        assertEquals(11, shapes.mapped(3));
    }

    @Test
    void sorted() {
        assertEquals(Arrays.asList("a", "bb", "ccc"), shapes.sorted("ccc", "a", "bb"));
    }

    @Test
    void largest() {
        assertEquals(7, shapes.largest(Arrays.asList(3, 7, 5)));
    }

    @Test
    void counted() {
        shapes.counted();
        assertEquals(2, shapes.counted());
    }

    @Test
    void recursive() {
        assertEquals(120, shapes.recursive(5));
    }

    @Test
    void mutuallyRecursive() {
        assertEquals(true, shapes.even(4));
    }

    @Test
    void total() {
        assertEquals(6, shapes.total(1, 2, 3));
    }

    @Test
    void lengths() {
        assertEquals(4, shapes.lengths(Arrays.asList("ab", "ab")).get("ab"));
    }

    @Test
    void supplier() {
        assertEquals("local5", shapes.supplier().get());
    }

    @Test
    void nested() {
        assertEquals(8, shapes.nested());
    }

    @Test
    void inner() {
        assertEquals(10, shapes.inner());
    }

    @Test
    void locked() {
        assertEquals(6, shapes.locked(4));
    }

    @Test
    void repeated() {
        assertEquals("abab", shapes.repeated("ab", 2));
    }

    @Test
    void usesAConstantWithoutItsValue() {
        assertEquals(true, State.isKnown("NEAR"));
    }

    /** The JVM names local variables, where the compiler was told to. */
    @Test
    void namesWhatIsNull() {
        try {
            Shapes.lengthOf(null);
        } catch (NullPointerException thrown) {
            String message = String.valueOf(thrown.getMessage());
            assertEquals(false, message.contains("<"), message);
        }
        assertEquals(2, Shapes.lengthOf("ab"));
    }

    @Test
    void greets() {
        assertEquals("hello you", Shapes.Greeter.polite().greet("you"));
    }
}
