#ifndef CALC_H
#define CALC_H
char grade(int points);
const char *name(int a);
#endif
