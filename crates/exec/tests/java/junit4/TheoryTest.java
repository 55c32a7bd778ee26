package junit4;

import static org.junit.Assert.assertTrue;

import org.junit.experimental.theories.DataPoints;
import org.junit.experimental.theories.Theories;
import org.junit.experimental.theories.Theory;
import org.junit.runner.RunWith;

@RunWith(Theories.class)
public class TheoryTest {
    @DataPoints public static final int[] NUMBERS = {1, 2, 3};

    @Theory
    public void holds(int number) { //= junit4.TheoryTest#holds passed
        assertTrue(number > 0);
    }

    @Theory
    public void breaks(int number) { //= junit4.TheoryTest#breaks failed org.junit.experimental.theories.internal.ParameterizedAssertionError
        assertTrue(number < 3);
    }
}
