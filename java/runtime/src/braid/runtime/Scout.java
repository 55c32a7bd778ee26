package braid.runtime;

/**
 * Called at places that mutants change, before the original's instruction: notes whether the mutant would have another
 * value there. Mutant n has hit 2n if its place was passed, and 2n + 1 if it would ever have made a difference.
 * Instructions are named by their opcodes.
 */
public final class Scout {
    private Scout() {}

    public static void jump(int a, int old, int other, int mutant) {
        seen(mutant, jumps(old, a, 0) != jumps(other, a, 0));
    }

    public static void jump(int a, int b, int old, int other, int mutant) {
        seen(mutant, jumps(old, a, b) != jumps(other, a, b));
    }

    public static void jump(Object a, int old, int other, int mutant) {
        seen(mutant, jumps(old, a, null) != jumps(other, a, null));
    }

    public static void jump(Object a, Object b, int old, int other, int mutant) {
        seen(mutant, jumps(old, a, b) != jumps(other, a, b));
    }

    public static void compared(
            float a, float b, int oldCompare, int oldJump, int compare, int jump, int mutant) {
        boolean old = jumps(oldJump, compare(oldCompare == FCMPL, a, b), 0);
        seen(mutant, old != jumps(jump, compare(compare == FCMPL, a, b), 0));
    }

    public static void compared(
            double a, double b, int oldCompare, int oldJump, int compare, int jump, int mutant) {
        boolean old = jumps(oldJump, compare(oldCompare == DCMPL, a, b), 0);
        seen(mutant, old != jumps(jump, compare(compare == DCMPL, a, b), 0));
    }

    public static void binary(int a, int b, int old, int other, int mutant) {
        boolean fails = b == 0 && (divides(old, IDIV) || divides(other, IDIV));
        seen(mutant, fails || value(old, a, b) != value(other, a, b));
    }

    public static void binary(long a, long b, int old, int other, int mutant) {
        boolean fails = b == 0 && (divides(old, LDIV) || divides(other, LDIV));
        seen(mutant, fails || value(old, a, b) != value(other, a, b));
    }

    /** Shifts. */
    public static void binary(long a, int b, int old, int other, int mutant) {
        seen(mutant, value(old, a, b) != value(other, a, b));
    }

    public static void binary(float a, float b, int old, int other, int mutant) {
        float before = value(old, a, b);
        float after = value(other, a, b);
        seen(mutant, Float.floatToRawIntBits(before) != Float.floatToRawIntBits(after));
    }

    public static void binary(double a, double b, int old, int other, int mutant) {
        double before = value(old, a, b);
        double after = value(other, a, b);
        seen(mutant, Double.doubleToRawLongBits(before) != Double.doubleToRawLongBits(after));
    }

    public static void returned(int value, int other, int mutant) {
        seen(mutant, value != other);
    }

    public static void returned(long value, long other, int mutant) {
        seen(mutant, value != other);
    }

    public static void returned(float value, float other, int mutant) {
        seen(mutant, Float.floatToRawIntBits(value) != Float.floatToRawIntBits(other));
    }

    public static void returned(double value, double other, int mutant) {
        seen(mutant, Double.doubleToRawLongBits(value) != Double.doubleToRawLongBits(other));
    }

    public static void returned(Object value, int mutant) {
        seen(mutant, value != null);
    }

    private static void seen(int mutant, boolean differs) {
        Braid.hit(2 * mutant);
        if (differs) {
            Braid.hit(2 * mutant + 1);
        }
    }

    private static final int NOP = 0x00;
    private static final int IADD = 0x60;
    private static final int LADD = 0x61;
    private static final int FADD = 0x62;
    private static final int DADD = 0x63;
    private static final int IDIV = 0x6c;
    private static final int LDIV = 0x6d;
    private static final int ISHL = 0x78;
    private static final int LSHL = 0x79;
    private static final int FCMPL = 0x95;
    private static final int DCMPL = 0x97;
    private static final int IFEQ = 0x99;
    private static final int IF_ICMPEQ = 0x9f;
    private static final int IF_ACMPEQ = 0xa5;
    private static final int IF_ACMPNE = 0xa6;
    private static final int GOTO = 0xa7;
    private static final int IFNULL = 0xc6;
    private static final int IFNONNULL = 0xc7;

    private static boolean jumps(int op, int a, int b) {
        if (op == GOTO || op == NOP) {
            return op == GOTO;
        }
        // eq ne lt ge gt le, in both groups
        switch (op - (op >= IF_ICMPEQ ? IF_ICMPEQ : IFEQ)) {
            case 0:
                return a == b;
            case 1:
                return a != b;
            case 2:
                return a < b;
            case 3:
                return a >= b;
            case 4:
                return a > b;
            case 5:
                return a <= b;
            default:
                throw new IllegalArgumentException("jump " + op);
        }
    }

    private static boolean jumps(int op, Object a, Object b) {
        switch (op) {
            case GOTO:
                return true;
            case NOP:
                return false;
            case IF_ACMPEQ:
            case IFNULL:
                return a == b;
            case IF_ACMPNE:
            case IFNONNULL:
                return a != b;
            default:
                throw new IllegalArgumentException("jump " + op);
        }
    }

    private static int compare(boolean less, float a, float b) {
        return a > b ? 1 : a == b ? 0 : a < b || less ? -1 : 1;
    }

    private static int compare(boolean less, double a, double b) {
        return a > b ? 1 : a == b ? 0 : a < b || less ? -1 : 1;
    }

    /** Whether an instruction is the given division or its remainder. */
    private static boolean divides(int op, int division) {
        return op == division || op == division + 4;
    }

    // Arithmetic has four instructions an operator (int, long, float, double), shifts and bits have two.

    private static int value(int op, int a, int b) {
        switch (op < ISHL ? (op - IADD) / 4 : 5 + (op - ISHL) / 2) {
            case 0:
                return a + b;
            case 1:
                return a - b;
            case 2:
                return a * b;
            case 3:
                return a / b;
            case 4:
                return a % b;
            case 5:
                return a << b;
            case 6:
                return a >> b;
            case 7:
                return a >>> b;
            case 8:
                return a & b;
            case 9:
                return a | b;
            case 10:
                return a ^ b;
            default:
                throw new IllegalArgumentException("operator " + op);
        }
    }

    private static long value(int op, long a, long b) {
        switch (op < LSHL ? (op - LADD) / 4 : 5 + (op - LSHL) / 2) {
            case 0:
                return a + b;
            case 1:
                return a - b;
            case 2:
                return a * b;
            case 3:
                return a / b;
            case 4:
                return a % b;
            case 5:
                return a << b;
            case 6:
                return a >> b;
            case 7:
                return a >>> b;
            case 8:
                return a & b;
            case 9:
                return a | b;
            case 10:
                return a ^ b;
            default:
                throw new IllegalArgumentException("operator " + op);
        }
    }

    private static float value(int op, float a, float b) {
        switch ((op - FADD) / 4) {
            case 0:
                return a + b;
            case 1:
                return a - b;
            case 2:
                return a * b;
            case 3:
                return a / b;
            case 4:
                return a % b;
            default:
                throw new IllegalArgumentException("operator " + op);
        }
    }

    private static double value(int op, double a, double b) {
        switch ((op - DADD) / 4) {
            case 0:
                return a + b;
            case 1:
                return a - b;
            case 2:
                return a * b;
            case 3:
                return a / b;
            case 4:
                return a % b;
            default:
                throw new IllegalArgumentException("operator " + op);
        }
    }
}
