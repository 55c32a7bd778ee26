package org.testng;

public interface ITestResult {
    ITestNGMethod getMethod();

    Object[] getParameters();

    Throwable getThrowable();

    IClass getTestClass();
}
