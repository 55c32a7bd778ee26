package jupiter;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Disabled;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.io.TempDir;

class BasicTest {
    private static int classes;
    private int fixture;

    @BeforeAll
    static void once() {
        classes++;
    }

    @BeforeEach
    void each() {
        fixture = 42;
    }

    @Test
    void passes() { //= jupiter.BasicTest#passes passed
        assertEquals(42, fixture);
        assertEquals(1, classes, "set-up of the class is shared");
    }

    @Test
    @DisplayName("a name that is not the method's")
    void fails() { //= jupiter.BasicTest#fails failed org.opentest4j.AssertionFailedError
        assertEquals(1, fixture);
    }

    @Test
    void errs() { //= jupiter.BasicTest#errs failed java.lang.NullPointerException
        throw new NullPointerException();
    }

    @Test
    @Disabled("because")
    void disabled() {} //= jupiter.BasicTest#disabled skipped

    @Test
    void assumes() { //= jupiter.BasicTest#assumes skipped
        assumeTrue(false);
    }

    @Test
    void overloaded() {} //= jupiter.BasicTest#overloaded() passed

    @Test
    void overloaded(TestInfo info) {} //= jupiter.BasicTest#overloaded(org.junit.jupiter.api.TestInfo) passed

    @Test
    void temporary(@TempDir Path dir) { //= jupiter.BasicTest#temporary passed
        assertTrue(Files.isDirectory(dir));
    }

    @Nested
    class Inner {
        @Test
        void inside() { //= jupiter.BasicTest$Inner#inside passed
            assertEquals(42, fixture);
        }

        @Nested
        class Deeper {
            @Test
            void inside() { //= jupiter.BasicTest$Inner$Deeper#inside failed org.opentest4j.AssertionFailedError
                assertEquals(1, fixture);
            }
        }
    }

    @Nested
    @Disabled
    class Off {
        @Test
        void inside() {} //= jupiter.BasicTest$Off#inside skipped
    }
}
