#include <catch2/catch.hpp>

#include "../calc.h"

TEST_CASE("sum") { CHECK(add(1, 2) == 3); }
TEST_CASE("negative") { CHECK(add(-1, -2) == -3); }
TEST_CASE("name") { CHECK(std::string(name(7)) == "n7"); }
