package braid.runner;

import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;

/**
 * Cuts a list of units into batches, one at a time, so that the first tests run before the last
 * classes are loaded.
 */
final class Plan implements Iterator<Batch> {
    private final List<String> ids;
    private final Frameworks frameworks;
    private int next;

    Plan(List<String> ids, Frameworks frameworks) {
        this.ids = ids;
        this.frameworks = frameworks;
    }

    @Override
    public boolean hasNext() {
        return next < ids.size();
    }

    @Override
    public Batch next() {
        if (!hasNext()) {
            throw new NoSuchElementException();
        }
        Class<?> type;
        Framework framework;
        try {
            type = Program.load(className(ids.get(next)));
            framework = frameworks.of(type);
            if (framework == null) {
                throw new NotFound("no tests in class " + type.getName());
            }
        } catch (OutOfMemoryError e) {
            throw e;
        } catch (Throwable e) {
            return failed(e);
        }
        Batch batch = new Batch(framework);
        while (hasNext() && join(batch)) {
            next++;
        }
        return batch;
    }

    /** All units of the next class, which cannot run. */
    private Batch failed(Throwable problem) {
        Batch batch = new Batch(problem);
        String name = className(ids.get(next));
        while (hasNext() && className(ids.get(next)).equals(name)) {
            batch.add(ids.get(next++));
        }
        return batch;
    }

    /** Adds the next unit if it fits. */
    private boolean join(Batch batch) {
        String id = ids.get(next);
        try {
            Class<?> type = Program.load(className(id));
            if (!batch.groups.isEmpty() && !batch.takes(type, frameworks.of(type))) {
                return false;
            }
            if (batch.units().contains(id)) {
                return false;
            }
            batch.add(type, id);
            return true;
        } catch (OutOfMemoryError e) {
            throw e;
        } catch (Throwable e) {
            // Reported with a batch of its own.
            return false;
        }
    }

    private static String className(String id) {
        int hash = id.indexOf('#');
        return hash < 0 ? id : id.substring(0, hash);
    }
}
