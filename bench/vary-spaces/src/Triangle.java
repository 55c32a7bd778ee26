/** Says of what kind a triangle is: 1 scalene, 2 isosceles, 3 equilateral, 4 none. */
public class Triangle {
    static int classify(int a, int b, int c) {
        if (a <= 0 || b <= 0 || c <= 0) return 4;
        int same = 0;
        if (a == b) same = same + 1;
        if (a == c) same = same + 2;
        if (b == c) same = same + 3;
        if (same == 0) {
            if (a + b <= c || b + c <= a || a + c <= b) return 4;
            return 1;
        }
        if (same > 3) return 3;
        if (same == 1 && a + b > c) return 2;
        if (same == 2 && a + c > b) return 2;
        if (same == 3 && b + c > a) return 2;
        return 4;
    }

    static int perimeter(int a, int b, int c) {
        if (classify(a, b, c) == 4) return 0;
        return a + b + c;
    }
}
