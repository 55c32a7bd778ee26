package org.apache.maven.eventspy;

import java.util.Map;

/** The signature of Maven's interface, to compile against; never packaged. */
public interface EventSpy {
    interface Context {
        Map<String, Object> getData();
    }

    void init(Context context) throws Exception;

    void onEvent(Object event) throws Exception;

    void close() throws Exception;
}
