package org.testng.xml;

import java.util.List;

public class XmlClass {
    public XmlClass(Class type) {}

    public void setIncludedMethods(List<XmlInclude> methods) {}
}
