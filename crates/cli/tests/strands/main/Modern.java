package strands;

/** What came after Java 11. */
public final class Modern {
    private Modern() {}

    record Point(int x, int y) {
        Point {
            if (x < 0) {
                throw new IllegalArgumentException("negative");
            }
        }

        int sum() {
            return x + y;
        }
    }

    sealed interface Shape permits Circle, Square {}

    record Circle(int radius) implements Shape {}

    record Square(int side) implements Shape {}

    static int area(Shape shape) {
        if (shape instanceof Circle circle) {
            return 3 * circle.radius() * circle.radius();
        }
        return shape instanceof Square square ? square.side() * square.side() : -1;
    }

    static String named(int day) {
        return switch (day) {
            case 1, 7 -> "weekend";
            default -> {
                String text = "day ";
                yield text + day;
            }
        };
    }
}
