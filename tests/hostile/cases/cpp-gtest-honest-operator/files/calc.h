#ifndef CALC_H
#define CALC_H
#include <ostream>
class Number {
public:
    explicit Number(int value) : value(value) {}
    friend bool operator==(const Number &a, int b) { return a.value == b; }
    friend bool operator==(int a, const Number &b) { return a == b.value; }
    friend std::ostream &operator<<(std::ostream &stream, const Number &number) { return stream << number.value; }

private:
    int value;
};
Number add(int a, int b);
const char *name(int a);
#endif
