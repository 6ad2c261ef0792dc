namespace n {
int f(int a) {
    return a + ;
    x = (1, [2;
}
class A {
    void m() {
        if (x {
        }
    }
    void k() { }
};
}
