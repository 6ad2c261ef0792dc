MAKE(a)
MAKE(b)

int f(void) { return 0; }
PRINTF(1, 2) NOINLINE
static void log_it(const char *format, ...) { }
