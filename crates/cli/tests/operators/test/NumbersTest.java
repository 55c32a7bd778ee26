package operators;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.math.BigDecimal;
import java.math.BigInteger;
import org.junit.jupiter.api.Test;

class NumbersTest {
    @Test
    void sum() {
        assertEquals(9, Numbers.sum(7, 2));
    }

    @Test
    void sumOfZero() {
        assertEquals(7, Numbers.sum(7, 0));
    }

    @Test
    void bits() {
        assertEquals(8, Numbers.bits(12, 10));
    }

    @Test
    void right() {
        assertEquals(4, Numbers.right(8, 1));
    }

    @Test
    void rightOfNegative() {
        assertEquals(-4, Numbers.right(-8, 1));
    }

    @Test
    void opposite() {
        assertEquals(-6, Numbers.opposite(5));
    }

    @Test
    void positive() {
        assertEquals(8, Numbers.twice(4));
    }

    @Test
    void negative() {
        assertEquals(-8, Numbers.twice(-4));
    }

    @Test
    void next() {
        assertEquals(5, Numbers.next(4));
    }

    @Test
    void offset() {
        assertEquals(6, Numbers.offset(1));
    }

    @Test
    void bigSum() {
        assertEquals(BigInteger.valueOf(5), Numbers.bigSum(BigInteger.valueOf(2), BigInteger.valueOf(3)));
    }

    @Test
    void bigOpposite() {
        assertEquals(new BigDecimal(-2), Numbers.bigOpposite(new BigDecimal(2)));
    }
}
