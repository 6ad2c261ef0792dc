#include <gtest/gtest.h>

#include "../geo.h"

TEST(Geo, Parses) { EXPECT_EQ(parse("1,2"), (Point{1, 2})); }
TEST(Geo, Negative) { EXPECT_TRUE(parse("-1,7") == (Point{-1, 7})); }
TEST(Geo, Shows) { EXPECT_EQ(show({3, 4}), std::string("3,4")); }
