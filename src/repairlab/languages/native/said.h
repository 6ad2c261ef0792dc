#define @said@(number, ...) __extension__ _Generic((__VA_ARGS__), \
    _Bool: @said@_truth, char: @said@_int, signed char: @said@_int, short: @said@_int, int: @said@_int, long: @said@_int, \
    long long: @said@_int, unsigned char: @said@_unsigned, unsigned short: @said@_unsigned, unsigned: @said@_unsigned, \
    unsigned long: @said@_unsigned, unsigned long long: @said@_unsigned, float: @said@_float, double: @said@_double, \
    long double: @said@_double, default: @said@_pointer)(number, (__VA_ARGS__))
