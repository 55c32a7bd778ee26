package braid.compiler;

import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.InetAddress;
import java.net.Socket;
import java.util.Locale;
import javax.tools.JavaCompiler;
import javax.tools.ToolProvider;

/** Answers requests to compile, one after the other, until the socket closes. */
public final class Main {
    private static final int COMPILE = 1;
    private static final int BULK = 2;

    private Main() {}

    /** Connects to the port of this machine that the first argument names. */
    public static void main(String[] args) throws IOException {
        System.setOut(System.err); // annotation processors print
        Locale.setDefault(Locale.ENGLISH);
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), Integer.parseInt(args[0]))) {
            socket.setTcpNoDelay(true);
            serve(
                    new DataInputStream(new BufferedInputStream(socket.getInputStream(), 1 << 16)),
                    new DataOutputStream(new BufferedOutputStream(socket.getOutputStream(), 1 << 16)));
        }
        Runtime.getRuntime().halt(0);
    }

    private static void serve(DataInputStream in, DataOutputStream out) throws IOException {
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        new Wire.Out()
                .text(String.valueOf(System.getenv("BRAID_TOKEN")))
                .number(Wire.VERSION)
                .text(compiler == null ? "this Java has no compiler, a JDK is needed" : "")
                .send(out);
        for (Wire.In request; (request = Wire.In.receive(in)) != null; ) {
            Wire.Out answer;
            try {
                answer = answer(compiler, request);
            } catch (Throwable fault) {
                answer = new Wire.Out().octet(1).text(describe(fault));
            }
            answer.send(out);
        }
    }

    private static Wire.Out answer(JavaCompiler compiler, Wire.In request) throws Throwable {
        int what = request.octet();
        switch (what) {
            case COMPILE:
                return new Compilation(compiler, request).answer();
            case BULK:
                return Bulk.answer(compiler, request);
            default:
                throw new IllegalArgumentException("no such request: " + what);
        }
    }

    static String describe(Throwable fault) {
        StringWriter text = new StringWriter();
        fault.printStackTrace(new PrintWriter(text));
        return text.getBuffer().substring(0, Math.min(text.getBuffer().length(), 4000));
    }
}
