#ifndef TEXT_TABLE_HPP
#define TEXT_TABLE_HPP

#include <string>
#include <vector>

#include "cells.hpp"

namespace text {

struct Column {
    std::string title;
    Align align = Align::left;
};

/// Rows of text, drawn with bars between the columns.
class Table {
  public:
    explicit Table(std::vector<Column> columns);

    /// Adds a row; cells that are missing at its end are empty. Throws std::invalid_argument when there are too many.
    void add(std::vector<std::string> cells);

    std::string str() const;

  private:
    std::vector<std::size_t> widths() const;
    void append_row(std::string& out, const std::vector<std::string>& cells, const std::vector<std::size_t>& widths) const;

    std::vector<Column> columns_;
    std::vector<std::vector<std::string>> rows_;
};

}  // namespace text

#endif
