package guarded;

/** What nobody wants to hear of, and where `--explain` says why. */
public class Suppressed {
    @interface DoNotMutate {}

    @DoNotMutate
    public int annotated(int a) {
        return a + 1; // left out: annotated with @DoNotMutate
    }

    @DoNotMutate
    static class Whole {
        int inner(int a) {
            return a + 2;
        }
    }

    public int partly(int a) {
        // braid: ignore-start[math] both are hints
        int b = a * 3; // left out: suppressed by a comment: both are hints
        b = b - 4; // left out: suppressed by a comment: both are hints
        // braid: resume
        // braid: ignore below
        b = b - 5; // left out: suppressed by a comment: below
        return b / 7;
    }

    public int configured(int a) {
        return a % 8; // left out: suppressed by braid.toml: checked elsewhere
    }
}
