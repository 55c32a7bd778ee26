package braid.runner;

import java.io.ByteArrayOutputStream;
import java.io.Closeable;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;

/** The connection to the controller. Any thread may send. */
final class Channel implements Closeable, Sink {
    private final Socket socket;
    private final DataInputStream in;
    private final OutputStream out;
    /** How long messages that need not be sent at once may wait. */
    private static final long OFTEN_NANOS = 20_000_000;

    /** When what waited was last sent. */
    private volatile long sent = System.nanoTime();
    /** What goes with the next message. */
    private final ByteArrayOutputStream waiting = new ByteArrayOutputStream();
    /** Made while there is memory. */
    private final byte[] outOfMemory =
            new Message.Out(Message.BROKEN).text("java.lang.OutOfMemoryError").frame();

    private Channel(Socket socket) throws IOException {
        this.socket = socket;
        this.in = new DataInputStream(socket.getInputStream());
        this.out = socket.getOutputStream();
    }

    static Channel connect(int port, String token) throws IOException {
        Socket socket = new Socket(InetAddress.getByAddress(new byte[] {127, 0, 0, 1}), port);
        socket.setTcpNoDelay(true);
        Channel channel = new Channel(socket);
        channel.send(
                new Message.Out(Message.HELLO)
                        .u16(Message.VERSION)
                        .text(token)
                        .text(System.getProperty("java.version", "")));
        return channel;
    }

    /** The body of the next message; null when the controller has closed the connection. */
    byte[] receive() throws IOException {
        try {
            byte[] body = new byte[in.readInt()];
            in.readFully(body);
            return body;
        } catch (EOFException e) {
            return null;
        }
    }

    /** Sends a message. Without a controller there is nothing left to do, so the JVM ends. */
    @Override
    public void send(Message.Out message) {
        synchronized (out) {
            sendSoon(message);
            flush();
        }
    }

    /** Sends a message together with the next one that is sent at once. */
    void sendSoon(Message.Out message) {
        byte[] frame = message.frame();
        synchronized (out) {
            waiting.write(frame, 0, frame.length);
        }
    }

    /** Sends what waits. */
    void flush() {
        synchronized (out) {
            if (waiting.size() == 0) {
                return;
            }
            sent = System.nanoTime();
            try {
                waiting.writeTo(out);
                out.flush();
                waiting.reset();
            } catch (IOException e) {
                Runtime.getRuntime().halt(Main.BROKEN);
            }
        }
    }

    /** Sends what waits, unless something was sent just now: a message for each short test costs as much as the test. */
    void flushNowAndThen() {
        if (System.nanoTime() - sent > OFTEN_NANOS) {
            flush();
        }
    }

    /** Says that the runner itself cannot go on, and ends the JVM. */
    void breakDown(Throwable cause) {
        byte[] frame = outOfMemory;
        if (!(cause instanceof OutOfMemoryError)) {
            try {
                frame = new Message.Out(Message.BROKEN).text(Throwables.trace(cause)).frame();
            } catch (Throwable e) {
                // So little memory is left that it is the most likely cause.
            }
        }
        Main.breakDown(out, frame);
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
