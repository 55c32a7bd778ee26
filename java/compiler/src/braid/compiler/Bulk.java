package braid.compiler;

import java.io.IOException;
import java.nio.charset.Charset;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import javax.tools.JavaCompiler;

/** Compiles many patches together, as extra copies of the methods that they change. */
final class Bulk {
    private static final int INSIDE = 0;
    /** More could exceed the constants of a class. */
    private static final int MOST_OF_A_CLASS = 4000;

    private static final int MOST_OF_A_ROUND = 8000;
    private static final int FEWEST_OF_A_SHARE = 30;
    /** More text could exceed the heap. */
    private static final int MOST_TEXT = 12 << 20;
    /** Nobody can write a patch that names another patch's copy. */
    private static final String SUFFIX =
            "$b" + String.format("%016x", new SecureRandom().nextLong()) + "x";

    /** Of earlier requests. */
    private static final Originals ORIGINALS = new Originals();

    private static final String SUFFIXES = "\\" + SUFFIX + "[0-9a-z]+";

    private final JavaCompiler compiler;
    private final Setup setup;
    private final boolean inside;
    private final Original[] originals;
    private final List<Patch> patches = new ArrayList<>();
    private final List<Map<String, byte[]>> rounds = new ArrayList<>();
    private final Map<Copy, List<Message>> failures = new HashMap<>();

    Bulk(JavaCompiler compiler, Wire.In request) throws IOException {
        this.compiler = compiler;
        setup = new Setup(request);
        Charset charset = Charset.forName(setup.encoding);
        inside = request.octet() == INSIDE;
        originals = new Original[request.number()];
        for (int i = 0; i < originals.length; i++) {
            originals[i] = ORIGINALS.get(request.text(), request.blob(), charset, setup);
        }
        int count = request.number();
        for (int i = 0; i < count; i++) {
            patches.add(new Patch(request, originals, charset));
        }
    }

    /** Answers on a thread with a deep stack. */
    static Wire.Out answer(JavaCompiler compiler, Wire.In request) throws Throwable {
        return Workers.each(List.of(request), it -> new Bulk(compiler, it).answer()).get(0);
    }

    private Wire.Out answer() throws Throwable {
        parseOriginals();
        new Planner(compiler, setup, SUFFIX).plan(patches);
        List<Copy> copies =
                patches.stream()
                        .filter(Patch::open)
                        .flatMap(patch -> patch.copies.stream())
                        .sorted(Comparator.comparing(copy -> copy.edit.original.path))
                        .collect(Collectors.toList());
        Workers.each(
                shares(copies),
                share -> {
                    for (List<Copy> batch : batches(share)) {
                        settle(batch, "");
                    }
                    return null;
                });
        patches.forEach(this::conclude);
        Wire.Out out = new Wire.Out().octet(0).number(rounds.size());
        for (Map<String, byte[]> classes : rounds) {
            out.number(classes.size());
            classes.forEach((name, bytes) -> out.text(name).blob(bytes));
        }
        out.number(patches.size());
        patches.forEach(patch -> patch.write(out));
        return out;
    }

    private void parseOriginals() throws IOException {
        List<Original> texts = new ArrayList<>();
        List<SourceFile> files = new ArrayList<>();
        for (Original original : originals) {
            if (original.text != null && original.outline == null) {
                texts.add(original);
                files.add(new SourceFile(original.path, original.text));
            }
        }
        Parsing parsing = new Parsing(compiler, setup, files);
        for (int i = 0; i < files.size(); i++) {
            texts.get(i).outline = parsing.outline(i);
        }
    }

    /**
     * Copies for each worker, those of a file together. Every share needs the classes around, so that few copies stay
     * in one.
     */
    private static List<List<Copy>> shares(List<Copy> copies) {
        int count = Math.min(Workers.count(), copies.size() / FEWEST_OF_A_SHARE + 1);
        Map<Original, List<Copy>> byFile =
                copies.stream()
                        .collect(
                                Collectors.groupingBy(
                                        copy -> copy.edit.original,
                                        LinkedHashMap::new,
                                        Collectors.toList()));
        List<List<Copy>> files = new ArrayList<>(byFile.values());
        files.sort(Comparator.comparingInt(Bulk::work).reversed());
        List<List<Copy>> shares = new ArrayList<>();
        int[] work = new int[count];
        for (List<Copy> file : files) {
            int least = 0;
            for (int i = 1; i < count; i++) {
                least = work[i] < work[least] ? i : least;
            }
            if (work[least] == 0) {
                shares.add(new ArrayList<>());
            }
            shares.get(least).addAll(file);
            work[least] += work(file);
        }
        return shares;
    }

    private static int work(List<Copy> file) {
        int around = file.get(0).edit.original.text.length() / 4; // without comments and bodies
        return around + file.stream().mapToInt(copy -> copy.body.length()).sum();
    }

    private static List<List<Copy>> batches(List<Copy> copies) {
        List<List<Copy>> batches = new ArrayList<>();
        Map<String, Integer> counts = new HashMap<>();
        List<Copy> batch = new ArrayList<>();
        Original last = null;
        int text = 0;
        for (Copy copy : copies) { // those of a file stand together
            Original original = copy.edit.original;
            int ofClass = counts.merge(copy.method.owner.name, 1, Integer::sum);
            text += copy.body.length() + (original == last ? 0 : original.text.length());
            last = original;
            boolean full = batch.size() >= MOST_OF_A_ROUND || text > MOST_TEXT / Workers.count();
            if (!batch.isEmpty() && (full || ofClass > MOST_OF_A_CLASS)) {
                batches.add(batch);
                batch = new ArrayList<>();
                counts.clear();
                counts.put(copy.method.owner.name, 1);
                text = copy.body.length() + original.text.length();
            }
            batch.add(copy);
        }
        if (!batch.isEmpty()) {
            batches.add(batch);
        }
        return batches;
    }

    /** Compiles copies, in ever smaller batches while there is trouble. */
    private void settle(List<Copy> copies, String trouble) throws IOException {
        if (copies.isEmpty()) {
            return;
        }
        if (copies.size() == 1 && !trouble.isEmpty()) {
            alone(copies.get(0), trouble);
            return;
        }
        String reason;
        try {
            compile(copies, inside);
            return;
        } catch (Trouble | RuntimeException | Error problem) {
            reason = String.valueOf(problem.getMessage());
        }
        if (inside && !(copies.size() > 1 && severalFiles(copies))) {
            try {
                compile(copies, false);
                return;
            } catch (Trouble | RuntimeException | Error problem) {
                reason = String.valueOf(problem.getMessage());
            }
        }
        if (!severalFiles(copies) && !compilesWithoutCopies(copies.get(0))) {
            for (Copy copy : copies) {
                alone(copy, reason);
            }
            return;
        }
        for (List<Copy> part : parts(copies)) {
            settle(part, reason);
        }
    }

    private static boolean severalFiles(List<Copy> copies) {
        return copies.stream().map(copy -> copy.edit.original).distinct().count() > 1;
    }

    private static List<List<Copy>> parts(List<Copy> copies) {
        if (severalFiles(copies)) {
            return new ArrayList<>(
                    copies.stream()
                            .collect(Collectors.groupingBy(copy -> copy.edit.original))
                            .values());
        }
        int half = copies.size() / 2;
        return List.of(copies.subList(0, half), copies.subList(half, copies.size()));
    }

    private boolean compilesWithoutCopies(Copy any) throws IOException {
        Original original = any.edit.original;
        Files manager = new Files(compiler, setup);
        List<SourceFile> files = List.of(new SourceFile(original.path, original.text));
        try {
            return compiler.getTask(
                            new java.io.StringWriter(),
                            manager,
                            diagnostic -> {},
                            setup.parseOptions(),
                            null,
                            files)
                    .call();
        } catch (RuntimeException | Error crash) {
            return false;
        }
    }

    private void compile(List<Copy> all, boolean inside) throws Trouble, IOException {
        List<Copy> copies = new ArrayList<>(all);
        if (!inside) {
            copies.removeIf(Bulk::isConstructor);
        }
        Round round = inside ? InsideWay.round(compiler, setup, SUFFIXES) : outside();
        Map<String, byte[]> classes;
        try {
            classes = round.run(copies);
        } finally {
            round.manager.close();
        }
        List<Copy> again = take(round, copies, classes);
        if (!inside) {
            all.stream().filter(Bulk::isConstructor).forEach(copy -> alone(copy, "a constructor"));
        }
        settle(again, "");
    }

    /** Takes what came of a round; gives copies that need another. */
    private synchronized List<Copy> take(Round round, List<Copy> copies, Map<String, byte[]> classes) {
        round.unfit.forEach(copy -> alone(copy, "code that cannot be generated in bulk"));
        round.refused.forEach(this::alone);
        List<Copy> good = new ArrayList<>();
        for (Copy copy : copies) {
            if (round.failures.containsKey(copy) && round.missing) {
                alone(copy, "a class file is missing");
            } else if (round.failures.containsKey(copy)) {
                failures.put(copy, round.failures.get(copy));
            } else if (!round.unfit.contains(copy) && !round.refused.containsKey(copy)) {
                good.add(copy);
            }
        }
        if (!round.unfit.isEmpty() || round.missing) {
            return good; // the code was not generated, or others need the missing class too
        }
        good.forEach(copy -> copy.round = rounds.size());
        rounds.add(classes);
        return List.of();
    }

    /** Several workers may say so of a patch of several files. */
    private synchronized void alone(Copy copy, String reason) {
        copy.patch.alone(reason);
    }

    /** Only inside the compiler a class can have several constructors of one signature. */
    private static boolean isConstructor(Copy copy) {
        return copy.method.isConstructor();
    }

    private Round outside() throws IOException {
        return new OutsideRound(compiler, setup, SUFFIXES);
    }

    private void conclude(Patch patch) {
        if (!patch.open()) {
            return;
        }
        List<Copy> failed =
                patch.copies.stream().filter(failures::containsKey).collect(Collectors.toList());
        if (failed.size() > 1) {
            patch.alone("several methods that fail"); // in an order that only javac knows
        } else if (failed.size() == 1) {
            patch.fail(setup.firstErrors(failures.get(failed.get(0))));
        }
    }
}
