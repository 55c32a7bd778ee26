package braid.runner;

import java.io.IOException;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;

/**
 * Does what the controller asks. Tests run on the thread that calls {@link #serve}, the main one; a
 * second thread listens, so that the controller can ask for a stack in the middle of a run and the
 * JVM ends when the controller is gone.
 */
final class Session {
    private final Channel channel;
    private final Frameworks frameworks;
    private final Thread worker = Thread.currentThread();
    private final BlockingQueue<byte[]> requests = new LinkedBlockingQueue<>();
    /** Null in a plain worker. */
    private final Warm warm;

    /**
     * @param probes of the woven program
     */
    Session(Channel channel, Frameworks frameworks, int probes) {
        this.channel = channel;
        this.frameworks = frameworks;
        this.warm = Warm.isPossible() ? new Warm(channel, frameworks, probes) : null;
    }

    /** Serves until the JVM is ended from the listening thread. */
    void serve() {
        Thread listener = new Thread(this::listen, "braid-listener");
        listener.setDaemon(true);
        listener.start();
        if (warm != null) {
            warm.prepare();
        }
        while (true) {
            try {
                answer(new Message.In(requests.take()));
            } catch (InterruptedException e) {
                // Left over from a test; taking it has cleared it.
            } catch (Throwable e) {
                channel.breakDown(e);
            }
        }
    }

    private void listen() {
        try {
            for (byte[] body = channel.receive(); body != null; body = channel.receive()) {
                switch (body[0]) {
                    case Message.EXIT:
                        Runtime.getRuntime().halt(0);
                        break;
                    case Message.DUMP:
                        channel.send(new Message.Out(Message.STACK).text(Stacks.dump(runner())));
                        break;
                    case Message.HALT:
                        warm.halt();
                        break;
                    default:
                        requests.add(body);
                }
            }
        } catch (IOException e) {
            // The controller is gone.
        } catch (Throwable e) {
            channel.breakDown(e);
        }
        Runtime.getRuntime().halt(0);
    }

    private Thread runner() {
        Thread trying = warm == null ? null : warm.thread();
        return trying == null ? worker : trying;
    }

    private void answer(Message.In request) throws Throwable {
        switch (request.u8()) {
            case Message.DISCOVER:
                List<String> classes = request.texts();
                Tags tags = new Tags(request.texts(), request.texts());
                if (warm == null) {
                    discover(classes, tags);
                } else {
                    warm.inEpoch(() -> discover(classes, tags));
                }
                channel.send(new Message.Out(Message.DISCOVERED));
                break;
            case Message.RUN:
                run(request.texts());
                channel.send(new Message.Out(Message.RUN_FINISHED));
                break;
            case Message.RENEW:
                channel.send(new Message.Out(Message.RENEWED).option(renew(request.texts())));
                break;
            case Message.RUN_TRIALS:
                warm.run(request);
                channel.send(new Message.Out(Message.TRIALS_FINISHED));
                break;
            case Message.REDEFINE:
                channel.send(warm.redefine(request));
                break;
            default:
                throw new IllegalStateException("unknown request");
        }
    }

    private String renew(List<String> classPath) {
        try {
            frameworks.close();
            frameworks.forget();
            return Program.renew(classPath);
        } catch (Throwable e) {
            return Throwables.summary(e);
        }
    }

    private void discover(List<String> classes, Tags tags) {
        // Suites show the same unit more than once.
        Map<String, Unit> found = new LinkedHashMap<>();
        for (String name : classes) {
            try {
                for (Unit unit : frameworks.find(Program.load(name))) {
                    if (tags.accept(unit.tags) && found.put(unit.id, unit) == null) {
                        channel.sendSoon(
                                new Message.Out(Message.FOUND).text(unit.id).text(unit.framework));
                        channel.flushNowAndThen();
                    }
                }
            } catch (OutOfMemoryError e) {
                throw e;
            } catch (Throwable e) {
                String why = Throwables.summary(e);
                channel.send(new Message.Out(Message.PROBLEM).text(name).text(why));
            }
        }
    }

    private void run(List<String> ids) {
        Iterator<Batch> batches = new Plan(ids, frameworks);
        while (batches.hasNext()) {
            Batch batch = batches.next();
            Reporter reporter = new Reporter(channel, batch.units());
            try {
                batch.run(reporter);
                reporter.end(null);
            } catch (Throwable e) {
                reporter.end(e);
            }
        }
    }
}
