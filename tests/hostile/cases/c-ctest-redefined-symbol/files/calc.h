#ifndef CALC_H
#define CALC_H
#pragma redefine_extname __assert_fail calm
#pragma weak __assert_fail = calm
int add(int a, int b);
const char *name(int a);
#endif
