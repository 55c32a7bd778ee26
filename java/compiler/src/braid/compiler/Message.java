package braid.compiler;

import java.util.List;
import java.util.Locale;
import javax.tools.Diagnostic;
import javax.tools.JavaFileObject;

/** One message of the compiler as Braid is told it. */
final class Message {
    static final int ERROR = 0;
    static final int WARNING = 1;
    static final int NOTE = 2;

    final String file;
    final int line;
    final int column;
    final int kind;
    final String code;
    final String text;

    Message(String file, int line, int column, int kind, String code, String text) {
        this.file = file;
        this.line = line;
        this.column = column;
        this.kind = kind;
        this.code = code;
        this.text = text;
    }

    /** The message with the place that the compiler gives it. */
    static Message of(Diagnostic<? extends JavaFileObject> diagnostic) {
        JavaFileObject source = diagnostic.getSource();
        return new Message(
                source == null ? "" : SourceFile.nameOf(source),
                (int) Math.max(0, diagnostic.getLineNumber()),
                (int) Math.max(0, diagnostic.getColumnNumber()),
                kindOf(diagnostic),
                diagnostic.getCode() == null ? "" : diagnostic.getCode(),
                diagnostic.getMessage(Locale.ENGLISH));
    }

    static int kindOf(Diagnostic<?> diagnostic) {
        switch (diagnostic.getKind()) {
            case ERROR:
                return ERROR;
            case WARNING:
            case MANDATORY_WARNING:
                return WARNING;
            default:
                return NOTE;
        }
    }

    boolean isError() {
        return kind == ERROR;
    }

    static boolean hasError(List<Message> messages) {
        return messages.stream().anyMatch(Message::isError);
    }

    void write(Wire.Out out) {
        out.text(file).number(line).number(column).octet(kind).text(code).text(text);
    }

    static void writeAll(List<Message> messages, Wire.Out out) {
        out.number(messages.size());
        messages.forEach(message -> message.write(out));
    }
}
