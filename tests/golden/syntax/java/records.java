record Point(int x, int y) implements A {
    static int n;
    Point {
        if (x < 0) throw new IllegalArgumentException();
    }
    Point(int x) { this(x, 0); }
    int sum() { return x + y; }
}
record Pair<A, B>(A a, B b) {
    public Pair { }
}
class Recorder {
    void record(int x) { record(x); }
}
