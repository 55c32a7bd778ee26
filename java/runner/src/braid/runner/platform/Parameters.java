package braid.runner.platform;

import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.Reader;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.Properties;
import java.util.Set;
import java.util.function.Function;
import org.junit.platform.engine.ConfigurationParameters;

/**
 * Configuration as a launcher has it: system properties, then {@code junit-platform.properties}. Tests
 * never run in parallel, whatever the configuration says: verdicts must not depend on timing.
 */
final class Parameters implements ConfigurationParameters {
    static final Parameters INSTANCE = new Parameters();
    private static final String PARALLEL = "junit.jupiter.execution.parallel.enabled";

    private final Properties file = new Properties();

    private Parameters() {
        ClassLoader loader = Parameters.class.getClassLoader();
        try (InputStream in = loader.getResourceAsStream("junit-platform.properties")) {
            if (in != null) {
                Reader reader = new InputStreamReader(in, StandardCharsets.ISO_8859_1);
                file.load(reader);
            }
        } catch (IOException | IllegalArgumentException e) {
            // As if there were none; the launcher warns and goes on.
        }
    }

    @Override
    public Optional<String> get(String key) {
        if (key.equals(PARALLEL)) {
            return Optional.of("false");
        }
        String value = System.getProperty(key);
        return Optional.ofNullable(value == null ? file.getProperty(key) : value);
    }

    @Override
    public Optional<Boolean> getBoolean(String key) {
        return get(key).map(Boolean::parseBoolean);
    }

    @Override
    public <T> Optional<T> get(String key, Function<String, T> transformer) {
        return get(key).map(String::trim).map(transformer);
    }

    @Override
    public int size() {
        return file.size();
    }

    @Override
    public Set<String> keySet() {
        return file.stringPropertyNames();
    }
}
