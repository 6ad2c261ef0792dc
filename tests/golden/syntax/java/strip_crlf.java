class A {
    // gone
    int x; // gone
}
