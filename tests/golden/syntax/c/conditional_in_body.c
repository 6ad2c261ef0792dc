int f(int a) {
#ifdef X
    if (a) {
        g();
    } else
#endif
    {
        h();
    }
    return 0;
}
int g(int a) {
#ifdef X
    if (a > 1) {
#else
    if (a > 2) {
#endif
        return 1;
    }
    return 0;
}
int h(void) { return 0; }
