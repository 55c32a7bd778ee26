package testng;

import org.testng.annotations.BeforeClass;
import org.testng.annotations.Test;

/** TestNG skips tests whose set-up fails; for us they fail. */
public class BrokenTest {
    @BeforeClass
    public void once() {
        throw new IllegalStateException("set-up");
    }

    @Test
    public void one() {} //= testng.BrokenTest#one failed java.lang.IllegalStateException

    @Test
    public void two() {} //= testng.BrokenTest#two failed java.lang.IllegalStateException
}
