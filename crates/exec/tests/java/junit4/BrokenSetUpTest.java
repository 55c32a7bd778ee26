package junit4;

import org.junit.AfterClass;
import org.junit.BeforeClass;
import org.junit.Test;
import org.junit.runner.RunWith;
import org.junit.runners.Parameterized;

/** Failures above tests count for the tests. */
public class BrokenSetUpTest {
    @BeforeClass
    public static void once() {
        throw new IllegalStateException("set-up");
    }

    @Test
    public void one() {} //= junit4.BrokenSetUpTest#one failed java.lang.IllegalStateException

    @Test
    public void two() {} //= junit4.BrokenSetUpTest#two failed java.lang.IllegalStateException

    public static class TearDown {
        @AfterClass
        public static void after() {
            throw new IllegalStateException("tear-down");
        }

        @Test
        public void only() {} //= junit4.BrokenSetUpTest$TearDown#only passed
        //= junit4.BrokenSetUpTest$TearDown#only[class] failed java.lang.IllegalStateException
    }

    public static class Initialiser {
        static final int VALUE = Integer.parseInt("none");

        @Test
        public void one() {} //= junit4.BrokenSetUpTest$Initialiser#one failed java.lang.ExceptionInInitializerError
    }

    /** JUnit cannot even make a runner; that is one failing test. */
    @RunWith(Parameterized.class)
    public static class NoData {
        @Test
        public void never() {} //= junit4.BrokenSetUpTest$NoData#initializationError failed java.lang.Exception
    }
}
