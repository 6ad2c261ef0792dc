#ifdef A
int f(int x)
#else
int f(long x)
#endif
{
    return x;
}
#ifdef B
static int g(void) { return 1; }
#else
int g(void) { return 2; }
#endif
#if 0
this isn't code { int dead(void) {
#else
int alive(void) { return 3; }
#endif
#ifdef __cplusplus
extern "C" {
#endif
int h(void) { return 4; }
#ifdef __cplusplus
}
#endif
