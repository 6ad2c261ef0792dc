#ifndef CALC_H
#define CALC_H
int add(int a, int b);
const char *name(int a);
#endif
