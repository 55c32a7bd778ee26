package testng;

import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertTrue;

import org.testng.SkipException;
import org.testng.annotations.BeforeClass;
import org.testng.annotations.BeforeMethod;
import org.testng.annotations.DataProvider;
import org.testng.annotations.Test;

public class BasicTest {
    private int classes;
    private int fixture;

    @BeforeClass
    public void once() {
        classes++;
    }

    @BeforeMethod
    public void each() {
        fixture = 42;
    }

    @Test
    public void passes() { //= testng.BasicTest#passes passed
        assertEquals(fixture, 42);
        assertEquals(classes, 1);
    }

    @Test
    public void fails() { //= testng.BasicTest#fails failed java.lang.AssertionError
        assertEquals(fixture, 1);
    }

    @Test(expectedExceptions = IllegalStateException.class)
    public void expects() { //= testng.BasicTest#expects passed
        throw new IllegalStateException();
    }

    @Test
    public void skips() { //= testng.BasicTest#skips skipped
        throw new SkipException("because");
    }

    @Test(enabled = false)
    public void disabled() {}

    @DataProvider
    public Object[][] numbers() {
        return new Object[][] {{1}, {2}, {3}};
    }

    @Test(dataProvider = "numbers")
    public void small(int number) { //= testng.BasicTest#small[0] passed
        assertTrue(number < 3); //= testng.BasicTest#small[1] passed
    } //= testng.BasicTest#small[2] failed java.lang.AssertionError

    @Test(invocationCount = 2)
    public void again() {} //= testng.BasicTest#again[0] passed
    //= testng.BasicTest#again[1] passed

    @Test(dependsOnMethods = "passes")
    public void depends() {} //= testng.BasicTest#depends passed
}
