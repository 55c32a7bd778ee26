package org.junit.platform.engine;

import org.junit.platform.engine.reporting.ReportEntry;

public interface EngineExecutionListener {
    void dynamicTestRegistered(TestDescriptor descriptor);

    void executionSkipped(TestDescriptor descriptor, String reason);

    void executionStarted(TestDescriptor descriptor);

    void executionFinished(TestDescriptor descriptor, TestExecutionResult result);

    void reportingEntryPublished(TestDescriptor descriptor, ReportEntry entry);
}
