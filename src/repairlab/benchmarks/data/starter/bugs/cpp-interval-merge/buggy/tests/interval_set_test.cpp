#include "interval_set.hpp"

#include <gtest/gtest.h>

#include <stdexcept>

#include "page_list.hpp"

using ranges::IntervalSet;
using ranges::parse_pages;

TEST(IntervalSet, AddJoinsOverlappingIntervals) {
    IntervalSet set;
    set.add(1, 3);
    set.add(10, 12);
    set.add(20, 25);
    set.add(2, 11);
    EXPECT_EQ(set.str(), "1-12,20-25");
    set.add(13, 19);
    EXPECT_EQ(set.str(), "1-25");
    EXPECT_EQ(set.size(), 25);
}

TEST(IntervalSet, KeepsSeparateIntervalsApart) {
    IntervalSet set;
    set.add(10, 12);
    set.add(1, 3);
    set.add(5, 5);
    EXPECT_EQ(set.str(), "1-3,5,10-12");
    EXPECT_EQ(set.count(), 3u);
    EXPECT_EQ(set.size(), 7);
}

TEST(IntervalSet, AddRejectsReversedBounds) {
    IntervalSet set;
    EXPECT_THROW(set.add(3, 2), std::invalid_argument);
    EXPECT_EQ(set.count(), 0u);
}

TEST(IntervalSet, ContainsLooksAtBothEnds) {
    IntervalSet set;
    set.add(-4, 4);
    EXPECT_TRUE(set.contains(-4));
    EXPECT_TRUE(set.contains(4));
    EXPECT_FALSE(set.contains(-5));
    EXPECT_FALSE(set.contains(5));
}

TEST(IntervalSet, RemoveSplitsAnInterval) {
    IntervalSet set;
    set.add(1, 10);
    set.add(20, 30);
    set.remove(4, 6);
    EXPECT_EQ(set.str(), "1-3,7-10,20-30");
    set.remove(9, 20);
    EXPECT_EQ(set.str(), "1-3,7-8,21-30");
}

TEST(PageList, ReadsSinglePagesAndSpans) {
    EXPECT_EQ(parse_pages("12,1,3-5").str(), "1,3-5,12");
}

TEST(PageList, OverlappingPagesAreJoined) {
    EXPECT_EQ(parse_pages("2-6,5-8,1,20").str(), "1-8,20");
}

TEST(PageList, RejectsGarbage) {
    EXPECT_THROW(parse_pages(""), std::invalid_argument);
    EXPECT_THROW(parse_pages("1,,2"), std::invalid_argument);
    EXPECT_THROW(parse_pages("a-b"), std::invalid_argument);
    EXPECT_THROW(parse_pages("0"), std::invalid_argument);
}
