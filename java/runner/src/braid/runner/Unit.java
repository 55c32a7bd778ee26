package braid.runner;

import java.util.Set;

/** What can be selected to run: a test method. */
public final class Unit {
    public final String id;
    public final String framework;
    /** Tags, categories or groups. */
    public final Set<String> tags;

    public Unit(String id, String framework, Set<String> tags) {
        this.id = id;
        this.framework = framework;
        this.tags = tags;
    }
}
