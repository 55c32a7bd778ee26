package junit4;

/** Nothing to be found here. */
public class NoTests {
    public void helper() {}

    public abstract static class Base {
        @org.junit.Test
        public void test() {}
    }
}
