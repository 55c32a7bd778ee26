package simple4;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.fail;
import static org.junit.Assume.assumeTrue;

import java.util.ArrayList;
import java.util.List;
import org.junit.After;
import org.junit.AfterClass;
import org.junit.Before;
import org.junit.BeforeClass;
import org.junit.Ignore;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.ExpectedException;

public class AboveTest {
    static final List<String> CALLS = new ArrayList<>();

    @BeforeClass
    public static void openAbove() {
        CALLS.add("open above");
    }

    @Before
    public void setUpAbove() {
        CALLS.add("set up above");
    }

    @After
    public void tearDownAbove() {
        if (CALLS.contains("spoil")) {
            throw new IllegalStateException("spoilt");
        }
    }

    @AfterClass
    public static void closeAbove() {
        if (CALLS.contains("spoil the class")) {
            throw new IllegalStateException("class spoilt");
        }
    }

    @Test
    public void above() {
        assertEquals("[open above, set up above]", CALLS.subList(0, 2).toString());
    }

    public static class BelowTest extends AboveTest {
        @Before
        public void setUp() {
            CALLS.add("set up");
        }

        @Test
        public void order() {
            assertEquals("[open above, set up above, set up]", CALLS.toString());
        }

        @Test(expected = IllegalStateException.class)
        public void throwsWhatIsExpected() {
            throw new IllegalStateException();
        }

        @Test(expected = RuntimeException.class)
        public void throwsLessThanExpected() {
            throw new IllegalStateException();
        }

        @Test(expected = IllegalStateException.class)
        public void throwsAnother() {
            throw new IllegalArgumentException("another");
        }

        @Test(expected = IllegalStateException.class)
        public void throwsNothing() {}

        @Test(expected = IllegalStateException.class)
        public void expectsAndDoesNotApply() {
            assumeTrue(false);
        }

        @Test
        public void doesNotApply() {
            assumeTrue("not here", false);
        }

        @Test
        public void spoils() {
            CALLS.add("spoil");
        }

        @Test
        public void failsTwice() {
            CALLS.add("spoil");
            fail("on purpose");
        }

        @Test
        public void spoilsTheClass() {
            CALLS.add("spoil the class");
        }

        @Test
        public void fails() {
            fail("on purpose");
        }

        @Test(timeout = 50)
        public void limited() throws InterruptedException {
            Thread.sleep(10_000);
        }

        @Ignore("for now")
        @Test
        public void ignored() {}
    }

    public static class RuleTest {
        @Rule public final ExpectedException thrown = ExpectedException.none();

        @Test
        public void test() {
            thrown.expect(IllegalStateException.class);
            throw new IllegalStateException();
        }
    }

    public static class ConstructorTest {
        public ConstructorTest() {
            throw new IllegalArgumentException("no instance");
        }

        @Test
        public void test() {}
    }

    public static class OverridesTest extends AboveTest {
        @Override
        public void setUpAbove() {
            CALLS.add("overridden");
        }

        @Test
        public void test() {
            assertEquals("[open above, overridden]", CALLS.toString());
        }
    }

    public static class ReplacesTest extends BelowTest {
        @Before
        @Override
        public void setUpAbove() {
            CALLS.add("replaced above");
        }

        @Before
        public void setUpLast() {
            CALLS.add("last");
        }

        @After
        @Override
        public void tearDownAbove() {
            if (CALLS.contains("spoil")) {
                throw new IllegalStateException(CALLS.toString());
            }
        }

        @Test
        @Override
        public void order() {
            assertEquals("in some order", CALLS.toString());
        }
    }

    public static class ReplacesOneTest extends BelowTest {
        @Before
        @Override
        public void setUp() {
            super.setUp();
            CALLS.add("replaced");
        }

        @After
        @Override
        public void tearDownAbove() {
            if (CALLS.contains("spoil")) {
                throw new IllegalStateException(CALLS.toString());
            }
        }

        @Test
        @Override
        public void order() {
            assertEquals("[open above, set up above, set up, replaced]", CALLS.toString());
        }

        @Test
        public void isCalledDirectly() {
            StackTraceElement[] stack = new Throwable().getStackTrace();
            for (StackTraceElement frame : stack) {
                assertFalse(frame.getClassName().startsWith("org.junit.runners."));
            }
        }
    }

    public static class ClassTest {
        @BeforeClass
        public static void open() {
            throw new IllegalArgumentException("no class");
        }

        @Test
        public void test() {}
    }

    public static class ClassDoesNotApplyTest {
        @BeforeClass
        public static void open() {
            assumeTrue("not this class", false);
        }

        @Test
        public void test() {}
    }
}
