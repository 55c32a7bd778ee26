package braid.runner;

/** Tells the controller who ends the JVM in an orderly way. */
final class LastWords {
    private LastWords() {}

    static void install(Channel channel) {
        Thread hook =
                new Thread(
                        () -> {
                            String caller = Stacks.exitCaller();
                            channel.send(new Message.Out(Message.EXITING).text(caller));
                        },
                        "braid-last-words");
        Runtime.getRuntime().addShutdownHook(hook);
    }
}
