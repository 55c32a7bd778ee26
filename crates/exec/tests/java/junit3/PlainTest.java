package junit3;

import junit.framework.TestCase;

public class PlainTest extends TestCase {
    private int fixture;

    @Override
    protected void setUp() {
        fixture = 42;
    }

    public void testPasses() { //= junit3.PlainTest#testPasses passed
        assertEquals(42, fixture);
    }

    public void testFails() { //= junit3.PlainTest#testFails failed junit.framework.AssertionFailedError
        assertEquals(1, fixture);
    }

    public void testThrows() { //= junit3.PlainTest#testThrows failed java.lang.IllegalStateException
        throw new IllegalStateException("thrown");
    }

    public void helper() {}
}
