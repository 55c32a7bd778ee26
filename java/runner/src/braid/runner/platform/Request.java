package braid.runner.platform;

import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.junit.platform.engine.ConfigurationParameters;
import org.junit.platform.engine.DiscoveryFilter;
import org.junit.platform.engine.DiscoverySelector;
import org.junit.platform.engine.EngineDiscoveryListener;
import org.junit.platform.engine.EngineDiscoveryRequest;
import org.junit.platform.engine.OutputDirectoryCreator;
import org.junit.platform.engine.SelectorResolutionResult;
import org.junit.platform.engine.UniqueId;
import org.junit.platform.engine.discovery.DiscoverySelectors;
import org.junit.platform.engine.reporting.OutputDirectoryProvider;

/** Asks an engine for the tests of classes. Older versions call fewer of these methods. */
final class Request implements EngineDiscoveryRequest {
    private final List<DiscoverySelector> selectors = new ArrayList<>();
    private Throwable problem;

    Request(List<Class<?>> types) {
        for (Class<?> type : types) {
            selectors.add(DiscoverySelectors.selectClass(type));
        }
    }

    /** A single method. */
    Request(Class<?> type, Method method) {
        selectors.add(DiscoverySelectors.selectMethod(type, method));
    }

    Throwable problem() {
        return problem;
    }

    @Override
    public <T extends DiscoverySelector> List<T> getSelectorsByType(Class<T> type) {
        List<T> matching = new ArrayList<>();
        for (DiscoverySelector selector : selectors) {
            if (type.isInstance(selector)) {
                matching.add(type.cast(selector));
            }
        }
        return matching;
    }

    @Override
    public <T extends DiscoveryFilter<?>> List<T> getFiltersByType(Class<T> type) {
        return Collections.emptyList();
    }

    @Override
    public ConfigurationParameters getConfigurationParameters() {
        return Parameters.INSTANCE;
    }

    @Override
    public EngineDiscoveryListener getDiscoveryListener() {
        return (EngineDiscoveryListener) problems();
    }

    /** As an object: otherwise checking this class would load the interface. */
    private Object problems() {
        return new Problems();
    }

    @Override
    public OutputDirectoryProvider getOutputDirectoryProvider() {
        return (OutputDirectoryProvider) Requests.outputDirectories(OutputDirectoryProvider.class);
    }

    @Override
    public OutputDirectoryCreator getOutputDirectoryCreator() {
        return (OutputDirectoryCreator) Requests.outputDirectories(OutputDirectoryCreator.class);
    }

    /** Apart, because older versions do not have the interface. */
    private final class Problems implements EngineDiscoveryListener {
        @Override
        public void selectorProcessed(
                UniqueId engine, DiscoverySelector selector, SelectorResolutionResult result) {
            if (problem == null) {
                problem = result.getThrowable().orElse(null);
            }
        }
    }
}
