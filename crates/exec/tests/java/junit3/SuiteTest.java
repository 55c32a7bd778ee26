package junit3;

import junit.framework.Test;
import junit.framework.TestCase;
import junit.framework.TestSuite;

/** A suite made by hand: one class runs by itself, the other only here. */
public class SuiteTest {
    public static Test suite() {
        TestSuite suite = new TestSuite();
        suite.addTestSuite(PlainTest.class);
        suite.addTest(new Hidden("first")); //= junit3.SuiteTest#junit3.SuiteTest$Hidden.first passed
        suite.addTest(new Hidden("second")); //= junit3.SuiteTest#junit3.SuiteTest$Hidden.second failed java.lang.IllegalArgumentException
        return suite;
    }

    private static class Hidden extends TestCase {
        Hidden(String name) {
            super(name);
        }

        @Override
        protected void runTest() {
            if (getName().equals("second")) {
                throw new IllegalArgumentException();
            }
        }
    }
}
