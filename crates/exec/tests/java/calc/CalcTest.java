package calc;

import static org.junit.Assert.assertEquals;

import org.junit.Test;

public class CalcTest {
    @Test
    public void triples() {
        assertEquals(0, Calc.calls());
        assertEquals(21, Calc.triple(7));
    }

    @Test
    public void negates() {
        assertEquals(0, Calc.calls());
        assertEquals(-7, Calc.negate(7));
    }

    @Test
    public void zero() {
        assertEquals(0, Calc.triple(0) + Calc.negate(0));
    }
}
