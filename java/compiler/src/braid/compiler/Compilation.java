package braid.compiler;

import com.sun.source.util.JavacTask;
import com.sun.source.util.TaskEvent;
import com.sun.source.util.TaskListener;
import java.io.IOException;
import java.io.StringWriter;
import java.nio.charset.Charset;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import javax.tools.DiagnosticListener;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileObject;

/** One run of javac over whole files, the way the command line runs it. */
final class Compilation implements TaskListener {
    private static final int ERRORS = 0;
    private static final int GOOD = 1;
    private static final int GIVEN_UP = 2;

    private final JavaCompiler compiler;
    /** Whether to give up on what could overflow the stack here and not in a fresh JVM, or the other way round. */
    private final boolean guarded;

    private final Setup setup;
    private final Charset charset;
    private final Files manager;
    private final Sources sources;
    private final List<Message> messages = new ArrayList<>();
    private boolean entered;
    private boolean crashed;

    Compilation(JavaCompiler compiler, Wire.In request) throws IOException {
        this.compiler = compiler;
        guarded = request.flag();
        setup = new Setup(request);
        charset = Charset.forName(setup.encoding);
        manager = Files.kept(compiler, setup);
        sources = new Sources(request, manager, charset);
    }

    Wire.Out answer() throws IOException {
        boolean good;
        try {
            good = run();
        } catch (RuntimeException | StackOverflowError crash) {
            if (!guarded) {
                throw crash;
            }
            return new Wire.Out().octet(0).octet(GIVEN_UP);
        }
        if (guarded && crashed) {
            return new Wire.Out().octet(0).octet(GIVEN_UP);
        }
        Wire.Out out = new Wire.Out().octet(0).octet(good ? GOOD : ERRORS);
        Message.writeAll(messages, out);
        Map<String, byte[]> classes = good ? manager.classes() : Map.of();
        out.number(classes.size());
        classes.forEach((name, bytes) -> out.text(name).blob(bytes));
        return out.flag(!good && !entered).flag(!good && entered && !crashed && bodiesOnly());
    }

    private boolean run() throws IOException {
        StringWriter said = new StringWriter();
        JavacTask task = task(said);
        if (!sources.undecodable.isEmpty()) {
            // An error while reading a file: javac parses this file and the others, and stops.
            task.parse().forEach(unit -> {});
            sortIn(sources.undecodable);
            return false;
        }
        task.addTaskListener(this);
        boolean good = task.call();
        if (!good && !Message.hasError(messages)) {
            // Out of stack or memory, or a crash: javac prints it and gives no diagnostic.
            messages.add(crash(said.toString()));
            crashed = true;
        }
        return good;
    }

    private JavacTask task(StringWriter said) {
        DiagnosticListener<JavaFileObject> listener =
                diagnostic -> messages.add(Message.of(diagnostic));
        return (JavacTask)
                compiler.getTask(said, manager, listener, setup.options(), null, sources.files);
    }

    /** Puts what was said about reading a file before what was said about parsing it. */
    private void sortIn(Map<String, List<Message>> reading) {
        List<Message> parsing = new ArrayList<>(messages);
        messages.clear();
        for (JavaFileObject file : sources.files) {
            messages.addAll(reading.getOrDefault(file.getName(), List.of()));
            for (Message message : parsing) {
                if (message.file.equals(file.getName())) {
                    messages.add(message);
                }
            }
        }
    }

    private static Message crash(String said) {
        String first = said.trim().split("\n", 2)[0];
        String text = first.isEmpty() ? "the compiler gave up without a message" : first;
        return new Message("", 0, 0, Message.ERROR, "braid.compiler.crash", text);
    }

    @Override
    public void started(TaskEvent event) {
        entered |= event.getKind() == TaskEvent.Kind.ENTER;
    }

    @Override
    public void finished(TaskEvent event) {
        boolean parsed = guarded && event.getKind() == TaskEvent.Kind.PARSE;
        if (parsed && Features.of(event.getCompilationUnit()).deepest > Planner.DEEPEST) {
            throw new IllegalStateException("too deep");
        }
    }

    /** Whether every source with content differs from the file on disk in method bodies at most. */
    private boolean bodiesOnly() throws IOException {
        return Outlines.differInBodiesOnly(compiler, setup, charset, sources.given);
    }
}
