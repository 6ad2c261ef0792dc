#ifndef CALC_H
#define CALC_H
#define SUM(a, b) ((a) + (b))
#define EQUAL(a, b) ((a) == (b))
int add(int a, int b);
const char *name(int a);
static inline int same(int a, int b)
{
    return EQUAL(a, b);
}
#endif
