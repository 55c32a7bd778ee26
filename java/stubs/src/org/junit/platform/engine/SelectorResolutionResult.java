package org.junit.platform.engine;

import java.util.Optional;

public class SelectorResolutionResult {
    public Optional<Throwable> getThrowable() {
        return null;
    }
}
