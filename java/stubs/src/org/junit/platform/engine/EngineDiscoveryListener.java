package org.junit.platform.engine;

public interface EngineDiscoveryListener {
    void selectorProcessed(UniqueId id, DiscoverySelector selector, SelectorResolutionResult result);
}
