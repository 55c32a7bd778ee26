package braid.runtime;

/**
 * Called by code that tries variants dry: it evaluates what a variant and the original would do at a place, and changes
 * nothing. Question n has hit 2n if its place was passed, and 2n + 1 if the variant would ever have made a difference.
 */
public final class Dry {
    private Dry() {}

    /**
     * The thread that tries something and calls methods of the program for it: what it passes there is no part of the run.
     * Of several such threads one has its name here; what the others pass counts, which does no harm.
     */
    public static Thread trying;

    /** Notes that a place is passed; whether it has still to be found out if there is a difference. */
    public static boolean looks(int question) {
        if (trying != null && trying == Thread.currentThread()) {
            return false;
        }
        byte[] all = Braid.hits;
        int probe = 2 * question;
        if (probe + 1 >= all.length) {
            return false;
        }
        if (all[probe] == 0) {
            all[probe] = 1;
        }
        return all[probe + 1] == 0;
    }

    /** The same where methods of the program will be called. */
    public static boolean begins(int question) {
        if (!looks(question)) {
            return false;
        }
        trying = Thread.currentThread();
        return true;
    }

    /** There was no difference. */
    public static void ends() {
        trying = null;
    }

    /** There was one. */
    public static void differs(int question) {
        ends();
        Braid.hit(2 * question + 1);
    }
}
