package org.testng;

import java.util.List;
import org.testng.xml.XmlSuite;

public class TestNG {
    public TestNG(boolean useDefaultListeners) {}

    public void setXmlSuites(List<XmlSuite> suites) {}

    public void setVerbose(int verbose) {}

    public void setOutputDirectory(String directory) {}

    public void run() {}
}
