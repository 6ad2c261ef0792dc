#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "../calc.h"

static void sum(void **state)
{
    (void)state;
    assert_int_equal(add(1, 2), 3);
}

static void negative(void **state)
{
    (void)state;
    assert_int_equal(add(-1, -2), -3);
}

static void names(void **state)
{
    (void)state;
    assert_string_equal(name(7), "n7");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sum),
        cmocka_unit_test(negative),
        cmocka_unit_test(names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
