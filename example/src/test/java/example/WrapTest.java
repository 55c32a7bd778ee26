package example;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.Arrays;
import java.util.Collections;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class WrapTest {
    @Test
    void keepsShortTextOnOneLine() {
        assertEquals(Collections.singletonList("to be"), Wrap.wrap("to be", 10));
    }

    @Test
    void breaksBetweenWords() {
        assertEquals(Arrays.asList("to be", "or not", "to be"), Wrap.wrap("to be or not to be", 6));
    }

    @Test
    void cutsLongWords() {
        assertEquals(Arrays.asList("a", "bcd", "efg", "h"), Wrap.wrap("a bcdefgh", 3));
    }

    @Test
    void hasNoLinesWithoutWords() {
        assertEquals(Collections.emptyList(), Wrap.wrap("  ", 5));
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 5, 8})
    void neverExceedsTheWidth(int width) {
        for (String line : Wrap.wrap("the quick brown fox jumps over the lazy dog", width)) {
            assertEquals(true, line.length() <= width, line);
        }
    }

    @Test
    void refusesWidthZero() {
        assertThrows(IllegalArgumentException.class, () -> Wrap.wrap("x", 0));
    }
}
