#include <gtest/gtest.h>

#include "../calc.h"

TEST(Calc, Sum) { EXPECT_EQ(add(1, 2), 3); }
TEST(Calc, Negative) { EXPECT_EQ(add(-1, -2), -3); }
TEST(Calc, Name) { EXPECT_STREQ(name(7), "n7"); }
