package braid.compiler;

import java.io.IOException;
import javax.tools.JavaCompiler;

/** Keeps the compiler's insides out of classes that must load without them. */
final class InsideWay {
    private InsideWay() {}

    static Round round(JavaCompiler compiler, Setup setup, String suffixes) throws IOException {
        return new InsideRound(compiler, setup, suffixes);
    }
}
