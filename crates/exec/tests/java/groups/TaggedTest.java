package groups;

import org.junit.Test;
import org.junit.experimental.categories.Category;
import org.junit.jupiter.api.Tag;

public class TaggedTest {
    public interface Slow {}

    public interface VerySlow extends Slow {}

    @Category(VerySlow.class)
    public static class Four {
        @Test
        public void slow() {}

        @Test
        @Category(Integer.class)
        public void both() {}
    }

    public static class FourPlain {
        @Test
        public void plain() {}
    }

    @Tag("slow")
    static class Five {
        @org.junit.jupiter.api.Test
        void slow() {}

        @org.junit.jupiter.api.Test
        @Tag("net")
        void both() {}
    }

    static class FivePlain {
        @org.junit.jupiter.api.Test
        void plain() {}
    }
}
