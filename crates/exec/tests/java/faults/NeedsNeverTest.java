package faults;

import org.junit.Test;

/** Fails to load when {@link Never} is gone. */
public class NeedsNeverTest {
    @Test
    public void one() {}

    @Test
    public void two() {}

    public Never never() {
        return null;
    }
}
