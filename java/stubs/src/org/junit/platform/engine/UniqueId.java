package org.junit.platform.engine;

import java.util.List;

public class UniqueId {
    public static UniqueId forEngine(String id) {
        return null;
    }

    public List<Segment> getSegments() {
        return null;
    }

    public static class Segment {
        public String getType() {
            return null;
        }

        public String getValue() {
            return null;
        }
    }
}
