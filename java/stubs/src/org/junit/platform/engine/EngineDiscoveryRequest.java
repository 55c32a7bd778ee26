package org.junit.platform.engine;

import java.util.List;
import org.junit.platform.engine.reporting.OutputDirectoryProvider;

public interface EngineDiscoveryRequest {
    <T extends DiscoverySelector> List<T> getSelectorsByType(Class<T> type);

    <T extends DiscoveryFilter<?>> List<T> getFiltersByType(Class<T> type);

    ConfigurationParameters getConfigurationParameters();

    EngineDiscoveryListener getDiscoveryListener();

    OutputDirectoryProvider getOutputDirectoryProvider();

    OutputDirectoryCreator getOutputDirectoryCreator();
}
