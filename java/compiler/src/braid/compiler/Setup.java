package braid.compiler;

import java.util.ArrayList;
import java.util.List;

/** What sources are compiled against, and how. */
final class Setup {
    static final int NO_PROCESSING = 0;

    /** As many errors as javac tells of, unless it is asked for more. */
    private static final int MOST_ERRORS = 100;

    final List<String> classPath;
    final String encoding;
    final List<String> javacArgs;
    final int processing;
    final List<String> processorPath;

    Setup(Wire.In in) {
        classPath = in.texts();
        encoding = in.text();
        javacArgs = in.texts();
        processing = in.octet();
        processorPath = in.texts();
    }

    /** The options for a compilation on its own, as the project's build would run it. */
    List<String> options() {
        List<String> options = new ArrayList<>(List.of("-encoding", encoding, "-implicit:none"));
        options.addAll(javacArgs);
        boolean told = javacArgs.stream().anyMatch(arg -> arg.startsWith("-proc:"));
        if (processing == NO_PROCESSING) {
            options.add("-proc:none");
        } else if (!told && Runtime.version().feature() >= 21) {
            options.add("-proc:full"); // not the default any more since 23
        }
        return options;
    }

    /** The options for parsing or compiling many patches at once: no warnings, every error. */
    List<String> parseOptions() {
        List<String> options =
                new ArrayList<>(
                        List.of(
                                "-encoding", encoding, "-implicit:none", "-proc:none", "-nowarn",
                                "-Xlint:none", "-Xmaxerrs", "1000000"));
        for (int i = 0; i < javacArgs.size(); i++) {
            String arg = javacArgs.get(i);
            if (arg.equals("-Xmaxerrs") || arg.equals("-Xmaxwarns")) {
                i++;
            } else if (!arg.startsWith("-Xlint") && !arg.startsWith("-proc:") && !arg.equals("-Werror")) {
                options.add(arg);
            }
        }
        return options;
    }

    /** The errors that javac would tell of these. */
    List<Message> firstErrors(List<Message> errors) {
        return errors.size() <= mostErrors() ? errors : errors.subList(0, mostErrors());
    }

    /** How many errors javac tells of. */
    int mostErrors() {
        String most = argument("-Xmaxerrs");
        return most == null ? MOST_ERRORS : Integer.parseInt(most);
    }

    /** The version of the Java language. */
    int sourceLevel() {
        for (String option : List.of("--release", "-source", "--source")) {
            String level = argument(option);
            if (level != null) {
                return Integer.parseInt(level.startsWith("1.") ? level.substring(2) : level);
            }
        }
        return Runtime.version().feature();
    }

    private String argument(String option) {
        for (int i = 0; i < javacArgs.size(); i++) {
            if (javacArgs.get(i).equals(option) && i + 1 < javacArgs.size()) {
                return javacArgs.get(i + 1);
            }
            if (javacArgs.get(i).startsWith(option + "=")) {
                return javacArgs.get(i).substring(option.length() + 1);
            }
        }
        return null;
    }
}
