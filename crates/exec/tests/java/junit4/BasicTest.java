package junit4;

import static org.junit.Assert.assertEquals;
import static org.junit.Assume.assumeTrue;

import org.junit.Before;
import org.junit.BeforeClass;
import org.junit.Ignore;
import org.junit.Test;

public class BasicTest extends BaseTest {
    private static int classes;
    private int fixture;

    @BeforeClass
    public static void once() {
        classes++;
    }

    @Before
    public void each() {
        fixture = 42;
    }

    @Test
    public void passes() { //= junit4.BasicTest#passes passed
        assertEquals(42, fixture);
        assertEquals("set-up of the class is shared", 1, classes);
    }

    @Test
    public void fails() { //= junit4.BasicTest#fails failed java.lang.AssertionError
        assertEquals(1, fixture);
    }

    @Test
    public void errs() { //= junit4.BasicTest#errs failed java.lang.NullPointerException
        throw new NullPointerException();
    }

    @Test(expected = IllegalStateException.class)
    public void expects() { //= junit4.BasicTest#expects passed
        throw new IllegalStateException();
    }

    @Test
    @Ignore("because")
    public void ignored() {} //= junit4.BasicTest#ignored skipped

    @Test
    public void assumes() { //= junit4.BasicTest#assumes skipped
        assumeTrue(false);
    }

    @Test(timeout = 50)
    public void slow() throws Exception { //= junit4.BasicTest#slow failed org.junit.runners.model.TestTimedOutException
        Thread.sleep(60_000);
    }

    @Override
    @Test
    public void overridden() {} //= junit4.BasicTest#overridden passed
}

abstract class BaseTest {
    @Test
    public void inherited() {} //= junit4.BasicTest#inherited passed

    @Test
    public void overridden() {
        throw new AssertionError();
    }
}
