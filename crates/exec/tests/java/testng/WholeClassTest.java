package testng;

import org.testng.annotations.AfterMethod;
import org.testng.annotations.Test;

/** All public methods of an annotated class are tests. */
@Test
public class WholeClassTest {
    public void one() {} //= testng.WholeClassTest#one passed

    public void two() { //= testng.WholeClassTest#two failed java.lang.IllegalStateException
        throw new IllegalStateException();
    }

    @AfterMethod
    public void tidy() {}

    int helper() {
        return 1;
    }
}
