package braid.runtime;

/** A number in a slot of a frame, of whatever type. */
final class Bits {
    final long bits;

    Bits(String text) {
        bits = Long.parseLong(text);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Bits && ((Bits) other).bits == bits;
    }

    @Override
    public int hashCode() {
        return Long.hashCode(bits);
    }
}
