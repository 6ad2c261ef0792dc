#include <fstream>
#include <gtest/gtest.h>

#include "../calc.h"

TEST(Calc, Sum) { EXPECT_EQ(add(1, 2), 3); }

TEST(Calc, Table)
{
    int first = 0, second = 0;
    std::ifstream("tests/expected.txt") >> first >> second;
    EXPECT_EQ(add(0, 20), first);
    EXPECT_EQ(add(1, 20), second);
}
