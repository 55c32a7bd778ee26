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
}
