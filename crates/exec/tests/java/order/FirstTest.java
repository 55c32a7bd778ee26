package order;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Counts how often the class is set up and torn down. */
class FirstTest {
    static int setUps;
    static int tearDowns;

    @BeforeAll
    static void before() {
        setUps++;
    }

    @AfterAll
    static void after() {
        tearDowns++;
    }

    @Test
    void a() {
        assertEquals(tearDowns + 1, setUps);
    }

    @Test
    void b() {
        assertEquals(tearDowns + 1, setUps);
    }

    @Test
    void once() {
        assertEquals(1, setUps);
    }
}

class SecondTest {
    @Test
    void a() {
        assertEquals(FirstTest.setUps, FirstTest.tearDowns);
    }
}

class ThirdTest {
    @org.junit.Test
    public void a() {}
}
