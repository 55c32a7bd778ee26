package operators;

import java.math.BigDecimal;
import java.math.BigInteger;

/** Arithmetic, constants and variables. Comments as in {@link Conditions}. */
public final class Numbers {
    private Numbers() {}

    /** Asked with (7, 2) and (7, 0). */
    public static int sum(int a, int b) {
        return a + b;
        // kill[math] a - b: sum
        // kill[aor] a * b: sum, sumOfZero
        // kill[aor] a / b: sum, sumOfZero
        // kill[aor] a % b: sum, sumOfZero
        // kill[operand] a: sum
        // kill[operand] b: sum, sumOfZero
        // kill[primitive-returns] 0: sum, sumOfZero
        // kill[method-body] { return 0; }: sum, sumOfZero
        // kill[method-body] { return 1; }: sum, sumOfZero
    }

    /** Asked with (12, 10). */
    public static int bits(int a, int b) {
        return a & b;
        // kill[math] a | b: bits
        // kill[bitwise] a ^ b: bits
    }

    /** Asked with (8, 1) and (-8, 1). */
    public static int right(int a, int b) {
        return a >> b;
        // kill[math] a << b: right, rightOfNegative
        // kill[shift] a >>> b: rightOfNegative
    }

    /** Asked with 5. */
    public static int opposite(int a) {
        return -(a + 1);
        // kill[invert-negs] a + 1: opposite
    }

    /** Asked with 4 and -4. */
    public static int twice(int a) {
        int result = a * 2;
        return result;
        // kill[negation] -result: positive, negative
        // kill[absolute-value] Math.abs(result): negative
        // kill[absolute-value] -Math.abs(result): positive
        // survives[uoi] result++
        // survives[uoi] result--
        // kill[uoi] ++result: positive, negative
        // kill[uoi] --result: positive, negative
    }

    /** Asked with 4. */
    public static int next(int a) {
        a++;
        // kill[increments] a--: next
        // kill[remove-increments] ;: next
        return a;
    }

    /** Asked with 1. */
    public static int offset(int a) {
        return a + 5;
        // kill[inline-constants] 6: offset
        // kill[numeric-constants] 4: offset
        // kill[numeric-constants] 0: offset
        // kill[crcr] 1: offset
        // kill[crcr] -1: offset
        // kill[crcr] -5: offset
    }

    /** Asked with 2 and 3. */
    public static BigInteger bigSum(BigInteger a, BigInteger b) {
        return a.add(b);
        // kill[big-integer] a.subtract(b): bigSum
        // kill[naked-receiver] a: bigSum
        // kill[argument-propagation] b: bigSum
        // kill[null-returns] null: bigSum
    }

    /** Asked with 2. */
    public static BigDecimal bigOpposite(BigDecimal a) {
        return a.negate();
        // kill[big-decimal] a.plus(): bigOpposite
    }
}
