#include <gtest/gtest.h>

#include "../calc.h"

TEST(Calc, Nothing) { EXPECT_THROW(parse(""), std::invalid_argument); }
TEST(Calc, Name) { EXPECT_STREQ(name(7), "n7"); }
