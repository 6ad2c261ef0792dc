class A {
    int f(int a) {
        int x = = 3 (;
        String s = "open;
        return 'x;
    }
    int g() { return 2; }
}
