import static org.junit.Assert.assertEquals;

import org.junit.Test;

public class TriangleTest {
    private static void is(int kind, int a, int b, int c) { assertEquals(kind, Triangle.classify(a, b, c)); }

    @Test public void t01() { is(1, 3, 4, 5); }
    @Test public void t02() { is(1, 5, 4, 3); }
    @Test public void t03() { is(1, 4, 5, 3); }
    @Test public void t04() { is(2, 3, 3, 5); }
    @Test public void t05() { is(2, 3, 5, 3); }
    @Test public void t06() { is(2, 5, 3, 3); }
    @Test public void t07() { is(3, 7, 7, 7); }
    @Test public void t08() { is(4, 1, 2, 3); }
    @Test public void t09() { is(4, 3, 2, 1); }
    @Test public void t10() { is(4, 2, 3, 1); }
    @Test public void t11() { is(4, 1, 1, 2); }
    @Test public void t12() { is(4, 1, 2, 1); }
    @Test public void t13() { is(4, 2, 1, 1); }
    @Test public void t14() { is(4, 0, 1, 1); }
    @Test public void t15() { is(4, 1, 0, 1); }
    @Test public void t16() { is(4, 1, 1, 0); }
    @Test public void t17() { is(4, -1, 2, 2); }
    @Test public void t18() { is(4, 2, -1, 2); }
    @Test public void t19() { is(4, 2, 2, -1); }
    @Test public void t20() { is(4, 1, 1, 9); }
    @Test public void t21() { is(4, 1, 9, 1); }
    @Test public void t22() { is(4, 9, 1, 1); }
    @Test public void t23() { is(1, 10, 11, 12); }
    @Test public void t24() { is(2, 100, 100, 1); }
    @Test public void t25() { assertEquals(12, Triangle.perimeter(3, 4, 5)); }
    @Test public void t26() { assertEquals(0, Triangle.perimeter(1, 2, 3)); }
}
