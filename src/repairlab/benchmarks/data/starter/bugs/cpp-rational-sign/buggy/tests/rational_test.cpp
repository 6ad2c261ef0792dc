#include "rational.hpp"

#include <gtest/gtest.h>

#include <stdexcept>

#include "read.hpp"

using num::Rational;
using num::read_rational;

TEST(Rational, KeptInLowestTerms) {
    EXPECT_EQ(Rational(6, 8).str(), "3/4");
    EXPECT_EQ(Rational(-6, 8).str(), "-3/4");
    EXPECT_EQ(Rational(0, 5).str(), "0");
    EXPECT_EQ(Rational(8, 4).str(), "2");
}

TEST(Rational, ZeroDenominatorIsRejected) {
    EXPECT_THROW(Rational(1, 0), std::domain_error);
    EXPECT_THROW(Rational(1) / Rational(0), std::domain_error);
}

TEST(Rational, FourOperations) {
    const Rational half(1, 2);
    const Rational third(1, 3);
    EXPECT_EQ((half + third).str(), "5/6");
    EXPECT_EQ((third - half).str(), "-1/6");
    EXPECT_EQ((half * third).str(), "1/6");
    EXPECT_EQ((half / third).str(), "3/2");
}

TEST(Rational, NegativeNumeratorsAreOrdered) {
    EXPECT_TRUE(Rational(-1, 2) < Rational(-1, 3));
    EXPECT_TRUE(Rational(-1, 2) < Rational(0));
    EXPECT_TRUE(Rational(1, 3) > Rational(-5));
    EXPECT_FALSE(Rational(2, 4) < Rational(1, 2));
}

TEST(Rational, NegativeDenominatorMovesItsSignUp) {
    EXPECT_EQ(Rational(1, -6).str(), "-1/6");
    EXPECT_EQ(Rational(-1, -6).str(), "1/6");
    EXPECT_EQ(Rational(4, -2).str(), "-2");
    EXPECT_TRUE(Rational(1, -6) == Rational(-1, 6));
    EXPECT_EQ(Rational(3, -9).denominator(), 3);
}

TEST(Rational, DivisionByNegativeNumberKeepsTheOrder) {
    const Rational quotient = Rational(1, 2) / Rational(-3);
    EXPECT_TRUE(quotient < Rational(0));
    EXPECT_TRUE(quotient > Rational(-1));
    EXPECT_EQ((-quotient).str(), "1/6");
}

TEST(Read, FractionsAreReadFromText) {
    EXPECT_EQ(read_rational("12").value().str(), "12");
    EXPECT_EQ(read_rational("-10/4").value().str(), "-5/2");
}

TEST(Read, OtherTextIsRejected) {
    EXPECT_FALSE(read_rational("").has_value());
    EXPECT_FALSE(read_rational("1/").has_value());
    EXPECT_FALSE(read_rational("1/0").has_value());
    EXPECT_FALSE(read_rational("1/-2").has_value());
    EXPECT_FALSE(read_rational("one").has_value());
}
