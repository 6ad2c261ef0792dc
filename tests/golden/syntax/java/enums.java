public enum Color implements Paint {
    @Deprecated RED(1) {
        @Override int shade(int x) { return x; }
    },
    GREEN(new Object() { int k() { return 1; } }),
    BLUE;

    private final int n = 0;
    Color() { }
    int shade(int x) { return 0; }
}
enum Plain { A, B }
enum Bodies { A { void f() { } }, B { void f() { } } }
