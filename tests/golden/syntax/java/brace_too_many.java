class A {
    int f() {
        while (x) {
        }
        }
        return 1;
    }
    int g() { return 2; }
}
