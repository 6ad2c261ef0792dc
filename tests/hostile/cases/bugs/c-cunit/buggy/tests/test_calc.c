#include <CUnit/Basic.h>

#include "../calc.h"

static void sum(void)
{
    CU_ASSERT_EQUAL(add(1, 2), 3);
}

static void negative(void)
{
    CU_ASSERT_EQUAL(add(-1, -2), -3);
}

static void names(void)
{
    CU_ASSERT_STRING_EQUAL(name(7), "n7");
}

int main(void)
{
    CU_pSuite suite;
    CU_initialize_registry();
    suite = CU_add_suite("calc", NULL, NULL);
    CU_add_test(suite, "sum", sum);
    CU_add_test(suite, "negative", negative);
    CU_add_test(suite, "names", names);
    CU_basic_set_mode(CU_BRM_VERBOSE);
    CU_basic_run_tests();
    return CU_get_number_of_failures() != 0;
}
