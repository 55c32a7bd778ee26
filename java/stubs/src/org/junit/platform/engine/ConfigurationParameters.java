package org.junit.platform.engine;

import java.util.Optional;
import java.util.Set;
import java.util.function.Function;

public interface ConfigurationParameters {
    Optional<String> get(String key);

    Optional<Boolean> getBoolean(String key);

    <T> Optional<T> get(String key, Function<String, T> transformer);

    int size();

    Set<String> keySet();
}
