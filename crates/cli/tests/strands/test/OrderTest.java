package strands;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;

/** The second test passes only after the first. */
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class OrderTest {
    @Test
    @Order(1)
    void first() {
        assertEquals(1, State.Order.next());
    }

    @Test
    @Order(2)
    void second() {
        assertEquals(2, State.Order.next());
    }
}
