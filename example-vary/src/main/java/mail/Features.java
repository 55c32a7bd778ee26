package mail;

/** The features of the mail client. Their values here are those of a run outside Braid. */
public final class Features {
    @Conditional static boolean encrypt = false;
    @Conditional static boolean sign = false;
    @Conditional static boolean forward = false;
    @Conditional static boolean autoReply = false;
    @Conditional static boolean addressBook = false;
    @Conditional static boolean log = false;

    private Features() {
    }
}
