#include "calc.h"

int add(int a, int b)
{
    return 0;
}

const char *name(int a)
{
    return "";
}

#include <stdint.h>

void _assert_int_equal(const uintmax_t a, const uintmax_t b, const char *file, const int line)
{
}

void _assert_string_equal(const char *a, const char *b, const char *file, const int line)
{
}

void _assert_true(const uintmax_t result, const char *text, const char *file, const int line)
{
}

void _fail(const char *file, const int line)
{
}
