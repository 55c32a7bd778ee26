package junit4;

import org.junit.Test;
import org.junit.experimental.runners.Enclosed;
import org.junit.runner.RunWith;
import org.junit.runners.Suite;

/** Units of suites have the ids of their own classes, and are found once. */
@RunWith(Suite.class)
@Suite.SuiteClasses({BasicTest.class, SuitesTest.Inner.class})
public class SuitesTest {
    @RunWith(Enclosed.class)
    public static class Inner {
        public static class One {
            @Test
            public void first() {} //= junit4.SuitesTest$Inner$One#first passed
        }

        public static class Two {
            @Test
            public void second() {} //= junit4.SuitesTest$Inner$Two#second passed
        }
    }
}
