int f(int a) {
    if (a) {
        x();
#if defined(A) && \
    defined(B)
    } else if (b) {
        y();
#endif
    }
#ifndef C
    else {
        z();
    }
#endif
    while (
#ifdef W
        a && (b
#else
        (a
#endif
        )) { }
    return 1;
}
int g(void) { return 0; }
