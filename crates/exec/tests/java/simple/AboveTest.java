package simple;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class AboveTest {
    static final List<String> CALLS = new ArrayList<>();

    @BeforeAll
    static void openAbove() {
        CALLS.add("open above");
    }

    @BeforeEach
    void setUpAbove() {
        CALLS.add("set up above");
    }

    @AfterEach
    void tearDownAbove() {
        CALLS.add("tear down above");
        if (CALLS.contains("spoil")) {
            throw new IllegalStateException(CALLS.toString());
        }
    }

    @AfterAll
    static void closeAbove() {
        CALLS.add("close above");
        if (CALLS.contains("spoil the class")) {
            throw new IllegalStateException(CALLS.toString());
        }
    }

    @Test
    void above() {
        assertEquals(2, CALLS.size(), CALLS::toString);
    }
}
