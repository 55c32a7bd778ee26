package loops;

import static org.junit.Assert.assertTrue;

import org.junit.Test;

/** A loop that comes round with others of some of its local variables. */
public class SlotsTest {
    @Test
    public void accumulates() {
        assertTrue(spin(7, 3, this) > 0);
    }

    /** In slots 0 and 1, 2, and 3; then come 4 and 5, 6, and 7 and 8. */
    private static double spin(long step, int most, Object idle) {
        long sum = 0;
        int i = 0;
        double half = 0;
        while (i < most) {
            sum += step;
            half += sum / 2.0;
        }
        return idle == null ? sum : half;
    }
}
