int
max(a, b)
    int a;
    struct foo *b;
{
    return a > *b ? a : *b;
}
char *f(g, n) char *(*g)(); register int n; { return g(n); }
int proto(a, b);
int next(void) { return 1; }
