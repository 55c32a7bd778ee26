package simple;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.TestExecutionExceptionHandler;

class BrokenTest {
    static class ConstructorTest {
        ConstructorTest() {
            throw new IllegalArgumentException("no instance");
        }

        @AfterEach
        void tearDown() {
            throw new IllegalStateException("not called");
        }

        @Test
        void test() {}
    }

    static class SetUpTest {
        @BeforeEach
        void setUp() {
            throw new IllegalArgumentException("no set-up");
        }

        @AfterEach
        void tearDown() {
            System.getProperties().remove("nothing");
        }

        @Test
        void test() {}
    }

    static class SetUpDoesNotApplyTest {
        @BeforeEach
        void setUp() {
            assumeTrue(false, "not here");
        }

        @Test
        void test() {}
    }

    static class ClassTest {
        @BeforeAll
        static void open() {
            throw new IllegalArgumentException("no class");
        }

        @AfterAll
        static void close() {
            throw new IllegalStateException("and no end");
        }

        @Test
        void test() {}
    }

    static class ClassDoesNotApplyTest {
        @BeforeAll
        static void open() {
            assumeTrue(false, "not this class");
        }

        @Test
        void test() {}
    }

    static class InitialiserTest {
        static final int NUMBER = Integer.parseInt("none");

        @Test
        void test() {}
    }

    static class SwallowEverything implements TestExecutionExceptionHandler {
        @Override
        public void handleTestExecutionException(ExtensionContext context, Throwable thrown) {}
    }

    @ExtendWith(SwallowEverything.class)
    @java.lang.annotation.Retention(java.lang.annotation.RetentionPolicy.RUNTIME)
    @interface Swallowing {}

    @Swallowing
    static class ComposedTest {
        @Test
        void test() {
            throw new IllegalStateException("swallowed");
        }
    }

    static class ComposedMethodTest {
        @Swallowing
        @Test
        void test() {
            throw new IllegalStateException("swallowed");
        }

        @Test
        void other() {
            throw new IllegalStateException("not swallowed");
        }
    }

    static class LimitTest {
        @Test
        @Timeout(value = 50, unit = java.util.concurrent.TimeUnit.MILLISECONDS)
        void test() throws InterruptedException {
            Thread.sleep(10_000);
        }
    }
}
