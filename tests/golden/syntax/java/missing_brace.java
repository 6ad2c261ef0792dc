class A {
    int f() {
        if (x) {
            return 1;

    }

    int g() {
        return 2;
    }
}
