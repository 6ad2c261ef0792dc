#include "table.hpp"

#include <gtest/gtest.h>

#include <stdexcept>

using text::Align;
using text::Table;

TEST(Table, ColumnsAreAsWideAsTheirLongestCell) {
    Table table({{"name"}, {"town"}});
    table.add({"Ada", "London"});
    table.add({"Emmy", "Göttingen"});
    EXPECT_EQ(table.str(),
              "| name | town      |\n"
              "|------|-----------|\n"
              "| Ada  | London    |\n"
              "| Emmy | Göttingen |\n");
}

TEST(Table, NumbersStandOnTheRight) {
    Table table({{"item"}, {"n", Align::right}});
    table.add({"screws", "1000"});
    table.add({"nuts", "7"});
    EXPECT_EQ(table.str(),
              "| item   |    n |\n"
              "|--------|------|\n"
              "| screws | 1000 |\n"
              "| nuts   |    7 |\n");
}

TEST(Table, MissingCellsAreEmpty) {
    Table table({{"a"}, {"b"}});
    table.add({"1"});
    table.add({});
    EXPECT_EQ(table.str(),
              "| a | b |\n"
              "|---|---|\n"
              "| 1 |   |\n"
              "|   |   |\n");
    EXPECT_THROW(table.add({"1", "2", "3"}), std::invalid_argument);
}

TEST(Table, WithoutRowsOnlyTheHeaderIsShown) {
    const Table table({{"left"}, {"right", Align::right}});
    EXPECT_EQ(table.str(),
              "| left | right |\n"
              "|------|-------|\n");
}

TEST(Table, CellsMayHaveSeveralLines) {
    Table table({{"name"}, {"address"}});
    table.add({"Ada", "12 Dorset Street\nLondon"});
    table.add({"Emmy", "Göttingen"});
    EXPECT_EQ(table.str(),
              "| name | address          |\n"
              "|------|------------------|\n"
              "| Ada  | 12 Dorset Street |\n"
              "|      | London           |\n"
              "| Emmy | Göttingen        |\n");
}

TEST(Table, ShortCellsAreFilledUp) {
    Table table({{"n", Align::right}, {"note"}, {"sum", Align::right}});
    table.add({"1\n20\n300", "a\n\nb", "9\n10"});
    EXPECT_EQ(table.str(),
              "|   n | note | sum |\n"
              "|-----|------|-----|\n"
              "|   1 | a    |   9 |\n"
              "|  20 |      |  10 |\n"
              "| 300 | b    |     |\n");
}

TEST(Cells, SplitKeepsEmptyLines) {
    EXPECT_EQ(text::split_lines(""), std::vector<std::string>{""});
    EXPECT_EQ(text::split_lines("a\n\nb\n"), (std::vector<std::string>{"a", "", "b", ""}));
}

TEST(Cells, WidthCountsCharacters) {
    EXPECT_EQ(text::width(""), 0u);
    EXPECT_EQ(text::width("größer"), 6u);
    EXPECT_EQ(text::padded("ö", 3, Align::right), "  ö");
    EXPECT_EQ(text::padded("long", 2, Align::left), "long");
}
