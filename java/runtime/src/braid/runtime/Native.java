package braid.runtime;

/** What only the agent can do. The agent binds these methods when the JVM is up. */
public final class Native {
    private Native() {}

    /**
     * Makes a thread throw, wherever it stands.
     *
     * @return 0, or the number of a JVMTI error
     */
    public static native int stop(Thread thread, Throwable why);

    /**
     * Gives loaded classes other bytes: the same members, other code.
     *
     * @return 0, or the number of a JVMTI error
     */
    public static native int redefine(Class<?>[] classes, byte[][] contents);

    /**
     * Opens a package of the JDK to this package and nobody else: the program must see the JDK as closed
     * as it is.
     *
     * @param inside a class of the module that has the package
     * @return 0, or the number of a JVMTI error
     */
    static native int open(Class<?> inside, String packageName, Class<?> to);

    /** Whether a class has been initialised; asking does not do it. */
    static native boolean initialised(Class<?> type);

    /** A class of the JDK whose initialiser failed, which stays so in this JVM; null if there is none. */
    public static native String broken();

    /** What the agent has to tell, one line each, since the last call; null if nothing. */
    public static native String notes();
}
