class A {
    Runnable r = new Runnable() {
        public void run() { new Thread() { public void run() { } }.start(); }
    };
    static {
        new Foo<Bar<int[]>>(1) { void s() { } };
    }
    void f() {
        Comparator<String> c = new Comparator<>() {
            int n = 0;
            @Override public int compare(String a, String b) { return 0; }
        };
        class Local { int g() { return 1; } }
        int[] a = new int[] {1, 2};
        Function<A, B> l = x -> { return x; };
        record P(int x) { int y() { return x; } }
        Class<?> k = A.class;
    }
}
