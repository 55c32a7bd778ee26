package p;

record P(int x, int y) {
    P {
        if (x < 0) {
            throw new IllegalArgumentException("negative");
        }
    }

    P(int x) {
        this(x, 9);
    }
}

record Q(int x) {
    Q(int x) {
        this.x = x;
    }
}
