#ifndef CALC_H
#define CALC_H
#ifndef CALC_MAIN
#define main other_main
int main(int argc, char **argv);
#endif
int add(int a, int b);
const char *name(int a);
#endif
