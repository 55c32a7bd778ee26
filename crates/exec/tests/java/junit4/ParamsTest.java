package junit4;

import static org.junit.Assert.assertTrue;

import java.util.Arrays;
import java.util.Collection;
import org.junit.Test;
import org.junit.runner.RunWith;
import org.junit.runners.Parameterized;

/** The display names hold a hash code, the ids must not. The units take turns. */
@RunWith(Parameterized.class)
public class ParamsTest {
    private final int number;

    @Parameterized.Parameters(name = "{1}")
    public static Collection<Object[]> data() {
        return Arrays.asList(new Object[][] {{1, new Object()}, {2, new Object()}, {3, "x[y]"}});
    }

    public ParamsTest(int number, Object label) {
        this.number = number;
    }

    @Test
    public void small() { //= junit4.ParamsTest#small[0] passed
        assertTrue(number < 3); //= junit4.ParamsTest#small[1] passed
    } //= junit4.ParamsTest#small[2] failed java.lang.AssertionError

    @Test
    public void odd() { //= junit4.ParamsTest#odd[0] passed
        assertTrue(number % 2 == 1); //= junit4.ParamsTest#odd[1] failed java.lang.AssertionError
    } //= junit4.ParamsTest#odd[2] passed
}
