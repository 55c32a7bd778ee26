package org.junit.platform.engine;

import java.util.Optional;
import java.util.Set;

public interface TestDescriptor {
    UniqueId getUniqueId();

    String getDisplayName();

    Set<TestTag> getTags();

    Optional<TestSource> getSource();

    Optional<TestDescriptor> getParent();

    Set<? extends TestDescriptor> getChildren();

    void removeFromHierarchy();

    boolean isContainer();

    boolean isTest();

    void prune();

    void accept(Visitor visitor);

    interface Visitor {
        void visit(TestDescriptor descriptor);
    }
}
