package org.junit.runner;

import java.lang.annotation.Annotation;
import java.util.ArrayList;
import java.util.Collection;

public class Description {
    public String getDisplayName() {
        return null;
    }

    public ArrayList<Description> getChildren() {
        return null;
    }

    public boolean isTest() {
        return false;
    }

    public <T extends Annotation> T getAnnotation(Class<T> type) {
        return null;
    }

    public Collection<Annotation> getAnnotations() {
        return null;
    }

    public String getClassName() {
        return null;
    }

    public String getMethodName() {
        return null;
    }
}
