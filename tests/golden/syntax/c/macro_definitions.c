#define MAKE(name) \
    static int name(void) { \
        return 1; \
    }
#define OPEN {
MAKE(a)
MAKE(b)

int f(void) {
#define LOCAL(x) do { \
        x; } while (0)
    LOCAL(1);
    return '{' + "}"[0]; /* } */ // }
}
