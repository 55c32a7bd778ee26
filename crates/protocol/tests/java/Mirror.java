package braid.runner;

import java.io.BufferedOutputStream;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.OutputStream;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;

/** Shows the Java side of the protocol to a test of the Rust side. */
public final class Mirror {
    public static void main(String[] args) throws IOException {
        if (args.length == 0) {
            echo();
        } else {
            report(Integer.parseInt(args[0]));
        }
    }

    /** Reads requests and writes them again. */
    private static void echo() throws IOException {
        DataInputStream in = new DataInputStream(System.in);
        OutputStream out = new BufferedOutputStream(System.out);
        try {
            while (true) {
                byte[] body = new byte[in.readInt()];
                in.readFully(body);
                out.write(again(new Message.In(body)));
            }
        } catch (EOFException e) {
            out.flush();
        }
    }

    private static byte[] again(Message.In in) {
        int number = in.u8();
        Message.Out out = new Message.Out(number);
        if (number == Message.RUN_TRIALS) {
            again(new Order(in), out);
        }
        for (int left = number == Message.REDEFINE ? again(in, out) : 0; left > 0; left--) {
            out.text(in.text());
            byte[] bytes = in.bytes();
            out.u32(bytes.length).raw(bytes, 0, bytes.length);
        }
        boolean one = number == Message.RUN || number == Message.RENEW;
        int lists = number == Message.DISCOVER ? 3 : one ? 1 : 0;
        for (int i = 0; i < lists; i++) {
            List<String> texts = in.texts();
            out.u32(texts.size());
            texts.forEach(out::text);
        }
        if (!in.atEnd()) {
            throw new IllegalStateException("bytes left over");
        }
        return out.frame();
    }

    private static int again(Message.In in, Message.Out out) {
        int number = in.u32();
        out.u32(number);
        return number;
    }

    private static void again(Order order, Message.Out out) {
        out.u32(order.units.size());
        for (Order.Unit unit : order.units) {
            out.text(unit.id).u64(unit.fuel).u32((int) unit.wallMillis).u32((int) unit.idleMillis);
            out.u32((int) (unit.stackBytes / 1024));
        }
        out.u32(order.trials.size());
        for (Order.Trial trial : order.trials) {
            out.u32(trial.variant).bool(trial.stopAtFailure).u32(trial.units.length);
            for (int unit : trial.units) {
                out.u32(unit);
            }
        }
        out.bool(order.record);
    }

    /** The results of a unit, as a warm worker puts them into its message. */
    private static Message.Out unitRan() {
        Leaves leaves = new Leaves("T#a");
        Reporter reporter = new Reporter(leaves, new LinkedHashSet<>(Arrays.asList("T#a")));
        reporter.start("T#a", "T#a[0]");
        reporter.pass("T#a", "T#a[0]");
        reporter.skip("T#a", "T#a[1]", "why");
        reporter.end(null);
        Message.Out out = new Message.Out(Message.UNIT_RAN).u32(3).u32(4);
        out.u8(Attempt.IDLE).text("where").bool(true).u64(5).u64(6);
        leaves.copyTo(out);
        return out.bool(true).u32(2).u8(9).u8(0).bool(true).option("why");
    }

    /** Says everything that a worker can say. */
    private static void report(int port) throws IOException {
        try (Channel channel = Channel.connect(port, "secret")) {
            channel.send(new Message.Out(Message.FOUND).text("T#a").text("junit4"));
            channel.send(new Message.Out(Message.PROBLEM).text("T").text("why"));
            channel.send(new Message.Out(Message.DISCOVERED));
            Reporter reporter =
                    new Reporter(channel, new LinkedHashSet<>(Arrays.asList("T#a", "T#b", "T#c")));
            reporter.start("T#a", "T#a[0]");
            reporter.pass("T#a", "T#a[0]");
            reporter.start("T#unwanted", "T#unwanted");
            reporter.fail("T#a", "T#a[1]", new AssertionError("\u00e9\ud83d\ude00 \ud800"));
            reporter.done("T#a");
            reporter.skip("T#b", "T#b", null);
            reporter.end(null);
            channel.send(new Message.Out(Message.RUN_FINISHED));
            channel.send(new Message.Out(Message.STACK).text("here"));
            channel.send(new Message.Out(Message.EXITING).text("there"));
            channel.send(new Message.Out(Message.TRIAL_STARTED).u32(1).u32(2));
            channel.send(unitRan());
            channel.send(new Message.Out(Message.TRIALS_FINISHED));
            channel.send(new Message.Out(Message.REDEFINED).u32(-1).text("why"));
            channel.send(new Message.Out(Message.NOTE).text("note"));
            channel.send(new Message.Out(Message.RENEWED).option("why"));
            channel.send(new Message.Out(Message.RENEWED).option(null));
            channel.breakDown(new OutOfMemoryError());
        }
    }
}
