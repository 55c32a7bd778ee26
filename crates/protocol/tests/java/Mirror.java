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
        int lists = number == Message.DISCOVER ? 3 : number == Message.RUN ? 1 : 0;
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
            channel.breakDown(new OutOfMemoryError());
        }
    }
}
