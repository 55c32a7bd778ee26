package braid.runner;

/** Where results go. */
interface Sink {
    void send(Message.Out message);

    /** A leaf has failed with this; its message follows. */
    default void threw(Throwable cause) {}
}
