package simple;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class ReplacingTest {
    static class Above {
        final List<String> calls = new ArrayList<>();

        @BeforeEach
        public void setUp() {
            calls.add("set up above");
        }

        @BeforeEach
        @AfterEach
        protected void both() {
            calls.add("both above");
        }
    }

    static class Base {
        final List<String> calls = new ArrayList<>();

        @BeforeEach
        protected void setUp() {
            calls.add("set up base");
        }

        @AfterEach
        protected void tearDown() {
            throw new IllegalStateException("not replaced: " + calls);
        }
    }

    static class BelowTest extends Above {
        @BeforeEach
        @Override
        public void setUp() {
            calls.add("set up");
        }

        @Test
        void order() {
            assertEquals("[both above, set up]", calls.toString());
        }
    }

    static class ReplacesTest extends Base {
        @BeforeEach
        @Override
        protected void setUp() {
            super.setUp();
            calls.add("replaced");
        }

        @AfterEach
        @Override
        protected void tearDown() {
            assertEquals("[set up base, replaced]", calls.toString());
        }

        @Test
        void order() {
            assertEquals("[set up base, replaced]", calls.toString());
        }
    }

    static class ForgetsTest extends Base {
        @Override
        protected void setUp() {
            calls.add("forgotten");
        }

        @AfterEach
        @Override
        protected void tearDown() {}

        @Test
        void order() {
            assertEquals("in some order", calls.toString());
        }
    }
}
