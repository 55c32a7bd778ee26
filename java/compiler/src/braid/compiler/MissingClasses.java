package braid.compiler;

import com.sun.tools.javac.code.DeferredCompletionFailureHandler;
import com.sun.tools.javac.util.Context;

/** Between the calls of a task javac takes a missing class file for an empty class, so that tools can go on. */
final class MissingClasses {
    private MissingClasses() {}

    /** From here on a missing class file is an error as it is on the command line. */
    static void areErrors(Context context) {
        try {
            Handling.set(context);
        } catch (LinkageError old) {
            // This javac never takes it for anything else.
        }
    }

    private static final class Handling {
        static void set(Context context) {
            DeferredCompletionFailureHandler handler =
                    DeferredCompletionFailureHandler.instance(context);
            handler.setHandler(handler.javacCodeHandler);
        }
    }
}
