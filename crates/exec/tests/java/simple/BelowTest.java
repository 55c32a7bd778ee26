package simple;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.fail;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Disabled;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;

@Tag("some")
class BelowTest extends AboveTest {
    @BeforeAll
    static void open() {
        CALLS.add("open");
    }

    @BeforeEach
    void setUp() {
        CALLS.add("set up");
    }

    @AfterEach
    void tearDown() {
        CALLS.add("tear down");
    }

    @AfterAll
    static void close() {
        CALLS.add("close");
    }

    @Test
    @DisplayName("in order")
    void order() {
        assertEquals("[open above, open, set up above, set up]", CALLS.toString());
    }

    @Test
    void fails() {
        fail("on purpose");
    }

    @Test
    void failsTwice() {
        CALLS.add("spoil");
        fail("on purpose");
    }

    @Test
    void spoils() {
        CALLS.add("spoil");
    }

    @Test
    void spoilsTheClass() {
        CALLS.add("spoil the class");
    }

    @Test
    void doesNotApply() {
        assumeTrue(false, "not here");
    }

    @Test
    void doesNotApplyAndSpoils() {
        CALLS.add("spoil");
        assumeTrue(false, "not here");
    }

    @Test
    void throwsChecked() throws Exception {
        throw new java.io.IOException("checked");
    }

    @Test
    void throwsNoMessage() {
        throw new IllegalStateException();
    }

    @Disabled("for now")
    @Test
    void disabled() {
        fail("never");
    }

    @RepeatedTest(2)
    void repeated() {}

    @Test
    void withParameter(TestInfo info) {
        assertEquals("withParameter", info.getTestMethod().get().getName());
    }

    /** Passes only where no framework calls it. */
    @Test
    void isCalledDirectly() {
        for (StackTraceElement frame : new Throwable().getStackTrace()) {
            if (frame.getClassName().startsWith("org.junit.")) {
                fail(frame.toString());
            }
        }
    }
}
