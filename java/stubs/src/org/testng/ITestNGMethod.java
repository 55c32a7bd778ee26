package org.testng;

public interface ITestNGMethod {
    String getMethodName();

    int getInvocationCount();

    boolean isBeforeClassConfiguration();

    boolean isAfterClassConfiguration();

    boolean isAfterTestConfiguration();

    boolean isAfterSuiteConfiguration();

    boolean isAfterMethodConfiguration();
}
