#ifndef CALC_H
#define CALC_H
#include <string>
int parse(const std::string &text);
const char *name(int a);
#endif
