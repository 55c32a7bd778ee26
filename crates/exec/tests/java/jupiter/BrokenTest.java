package jupiter;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Failures above tests count for the tests. */
class BrokenTest {
    @BeforeAll
    static void once() {
        throw new IllegalStateException("set-up");
    }

    @Test
    void one() {} //= jupiter.BrokenTest#one failed java.lang.IllegalStateException

    @Test
    void two() {} //= jupiter.BrokenTest#two failed java.lang.IllegalStateException

    static class TearDown {
        @AfterAll
        static void after() {
            throw new IllegalStateException("tear-down");
        }

        @Test
        void only() {} //= jupiter.BrokenTest$TearDown#only passed
        //= jupiter.BrokenTest$TearDown#only[class] failed java.lang.IllegalStateException
    }

    static class Initialiser {
        static final int VALUE = Integer.parseInt("none");

        @Test
        void one() {} //= jupiter.BrokenTest$Initialiser#one failed java.lang.ExceptionInInitializerError
    }
}
