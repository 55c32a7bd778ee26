package org.junit.platform.engine;

public final class TestTag {
    public String getName() {
        return null;
    }
}
