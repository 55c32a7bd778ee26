package braid.runner;

import java.util.List;

/** A test framework that is on the class path of the project. */
public interface Framework {
    /** Short and stable. */
    String name();

    /** The units of a class in the framework's order; none if it is no test class of this framework. */
    List<Unit> find(Class<?> type) throws Throwable;

    /** Whether {@link #find} finds something; may be quicker. */
    default boolean owns(Class<?> type) throws Throwable {
        return !find(type).isEmpty();
    }

    /** Whether several classes run in one go, sharing what the framework sets up above classes. */
    default boolean runsClassesTogether() {
        return false;
    }

    /** Runs the units and reports on each. */
    void run(List<Group> groups, Reporter reporter) throws Throwable;

    /** Closes what would be closed at the end of the JVM, so that the next run finds it as in a new one. */
    default void close() throws Throwable {}
}
