package mail;

/** A message on its way. */
public final class Message {
    final String from;
    String to;
    String body;
    boolean encrypted;
    boolean signed;

    public Message(String from, String to, String body) {
        this.from = from;
        this.to = to;
        this.body = body;
    }

    @Override
    public String toString() {
        return from + " to " + to + ": " + body;
    }
}
