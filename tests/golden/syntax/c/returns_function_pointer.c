void (*signal(int sig, void (*func)(int)))(int) { return func; }
handler_t (*get(void))(int, char) { return 0; }
static int (*pick(int i))[3] { return 0; }
