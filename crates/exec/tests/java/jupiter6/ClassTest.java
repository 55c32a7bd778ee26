package jupiter6;

import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A class that runs once for each parameter: its units take turns. */
@ParameterizedClass
@ValueSource(ints = {1, 2})
class ClassTest {
    @Parameter int number;

    @Test
    void one() { //= jupiter6.ClassTest#one[1] passed
        assertTrue(number == 1); //= jupiter6.ClassTest#one[2] failed org.opentest4j.AssertionFailedError
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void both(int other) { //= jupiter6.ClassTest#both[1][1] passed
        assertTrue(number == other); //= jupiter6.ClassTest#both[1][2] failed org.opentest4j.AssertionFailedError
        //= jupiter6.ClassTest#both[2][1] failed org.opentest4j.AssertionFailedError
    } //= jupiter6.ClassTest#both[2][2] passed
}

class PlainTest {
    record Point(int x, int y) {}

    @Test
    void records() { //= jupiter6.PlainTest#records passed
        assertTrue(new Point(1, 2).y() == 2);
    }
}
