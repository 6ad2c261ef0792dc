#ifndef CALC_H
#define CALC_H
int add(int a, int b);
const char *name(int a);
#include <string.h>
#define add(a, b) _Generic((add)(a, b), int: 1) || 0
#define strcmp(a, b) _Generic((a), char *: (strcmp)(a, b), const char *: 0)
#endif
