import java.util.*;

/** A mail client with nine features, in the manner of the E-Mail product line. */
public class Mail {
    static boolean encrypt, sign, verify, forward, autoReply, addressBook, keys, decrypt, log;

    static final class Message {
        final String from; String to, body; boolean sealed, signed, trusted;
        Message(String from, String to, String body) { this.from = from; this.to = to; this.body = body; }
        public String toString() { return from + ">" + to + ":" + body + (sealed ? "#" : "") + (signed ? "!" : "") + (trusted ? "+" : ""); }
    }

    static final class User {
        final String name; final List<Message> inbox = new ArrayList<>(); final Map<String, String> book = new TreeMap<>();
        final Map<String, Integer> keyring = new HashMap<>(); String next;
        User(String name) { this.name = name; }
    }

    static final Map<String, User> users = new LinkedHashMap<>();
    static int delivered, hops;

    static String shift(String text, int by) {
        StringBuilder out = new StringBuilder();
        for (int i = 0; i < text.length(); i++) out.append((char) ((text.charAt(i) - 32 + by + 95) % 95 + 32));
        return out.toString();
    }

    static void send(User from, String to, String body) {
        Message m = new Message(from.name, addressBook ? from.book.getOrDefault(to, to) : to, body);
        if (sign) m.signed = true;
        if (encrypt && (!keys || from.keyring.containsKey(m.to))) { m.sealed = true; m.body = shift(m.body, keys ? from.keyring.get(m.to) : 7); }
        deliver(m, from);
    }

    static void deliver(Message m, User sender) {
        if (++hops > 40) throw new IllegalStateException("too many hops");
        User to = users.get(m.to);
        if (to == null) { if (log) System.out.println("bounced " + m); return; }
        delivered++;
        if (decrypt && m.sealed) { m.body = shift(m.body, -(keys ? sender.keyring.getOrDefault(m.to, 7) : 7)); m.sealed = false; }
        if (verify && m.signed) m.trusted = users.containsKey(m.from);
        to.inbox.add(m);
        if (log) System.out.println("got " + m);
        if (forward && to.next != null) { Message copy = new Message(to.name, to.next, m.body); copy.sealed = m.sealed; deliver(copy, to); }
        if (autoReply && !m.body.startsWith("Re")) deliver(new Message(to.name, m.from, "Re " + m.body), to);
    }

    public static void main(String[] args) {
        for (String name : new String[]{"ann", "bob", "cid", "dan"}) users.put(name, new User(name));
        User ann = users.get("ann"), bob = users.get("bob");
        ann.book.put("bobby", "bob"); ann.keyring.put("bob", 3); bob.keyring.put("ann", 11); bob.next = "cid";
        for (int round = 0; round < 12; round++) {
            hops = 0;
            send(ann, round % 2 == 0 ? "bobby" : "bob", "note " + round);
            send(bob, "ann", "reply to " + round * 7 % 5);
            send(users.get("cid"), "dan", "x" + round);
        }
        for (User u : users.values()) { int h = 0; for (Message m : u.inbox) h = h * 31 + m.toString().hashCode(); System.out.println(u.name + " " + u.inbox.size() + " " + h); }
        System.out.println(delivered);
    }
}
