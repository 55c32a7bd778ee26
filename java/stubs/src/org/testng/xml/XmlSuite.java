package org.testng.xml;

public class XmlSuite {
    public void setName(String name) {}
}
