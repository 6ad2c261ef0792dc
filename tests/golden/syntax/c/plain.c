#include <stdio.h>
/* above */
static int
add(int a,
    int b)
{
    return a + b;
}

int declared(int x);
struct point { int x, y; };
static const struct op ops[] = { { "a", add }, { "b", 0 } };
int (*callback)(int) = 0;
struct point *make(void) { return (struct point){ 1, 2 }.x ? 0 : 0; }
enum e pick(const char *s, char *const argv[], int (*cmp)(const void *, const void *)) { return 0; }
main() { }
