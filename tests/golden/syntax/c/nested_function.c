int outer(int x) {
    static int inner(int y) { return y; }
    list_for_each(a, b) { }
    for (int i = 0; i < 3; i++) { }
    return inner(x);
}
