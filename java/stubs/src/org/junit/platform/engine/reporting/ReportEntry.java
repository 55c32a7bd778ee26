package org.junit.platform.engine.reporting;

public final class ReportEntry {}
