MODULE_LICENSE("GPL")

static int init(void) { return 0; }
BEGIN_DECLS
/* doc */
int f(int x) { return x; }
module_init(init)

ATTR(1, 2)
static int g(void) { return 0; }
