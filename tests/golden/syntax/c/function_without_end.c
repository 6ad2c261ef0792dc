int f(void) {
    y();

int g(void) {
    return 2;
}
