package mail;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Someone who sends and receives. */
public final class Client {
    private static final Map<String, Client> ALL = new HashMap<>();

    final String name;
    final List<Message> inbox = new ArrayList<>();
    final List<String> log = new ArrayList<>();
    private final Map<String, String> book = new HashMap<>();
    private String forwardTo;

    public Client(String name) {
        this.name = name;
        ALL.put(name, this);
    }

    public void know(String alias, String address) {
        book.put(alias, address);
    }

    public void forwardTo(String other) {
        forwardTo = other;
    }

    public void send(String to, String body) {
        String address = Features.addressBook ? book.getOrDefault(to, to) : to;
        Message message = new Message(name, address, body);
        if (Features.sign) {
            message.signed = true;
        }
        if (Features.encrypt) {
            message.encrypted = true;
            message.body = scramble(message.body);
        }
        deliver(message);
    }

    private void deliver(Message message) {
        if (Features.log) {
            log.add("sent " + message);
        }
        Client receiver = ALL.get(message.to);
        if (receiver == null) {
            throw new IllegalStateException("nobody is called " + message.to);
        }
        receiver.receive(message);
    }

    void receive(Message message) {
        if (Features.encrypt && message.encrypted) {
            message.body = scramble(message.body);
            message.encrypted = false;
        }
        if (Features.log) {
            log.add("got " + message);
        }
        inbox.add(message);
        if (Features.forward && forwardTo != null) {
            // What was confidential goes on in the clear.
            Message copy = new Message(name, forwardTo, message.body);
            copy.signed = message.signed;
            deliver(copy);
        }
        if (Features.autoReply && !message.body.startsWith("Re: ")) {
            deliver(new Message(name, message.from, "Re: " + message.body));
        }
    }

    /** Its own inverse. */
    private static String scramble(String text) {
        StringBuilder out = new StringBuilder();
        for (char c : text.toCharArray()) {
            out.append((char) (c ^ 1));
        }
        return out.toString();
    }

    /** What a program over these features does, for {@code braid vary --main mail.Client}. */
    public static void main(String[] args) {
        Client ann = new Client("ann");
        Client bob = new Client("bob");
        ann.know("bobby", "bob");
        ann.send(Features.addressBook ? "bobby" : "bob", "lunch?");
        System.out.println("bob has " + bob.inbox);
        System.out.println("ann has " + ann.inbox);
        System.out.println(ann.log.size() + bob.log.size() + " lines of log");
    }
}
