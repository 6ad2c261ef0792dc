#include "table.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace text {

Table::Table(std::vector<Column> columns) : columns_(std::move(columns)) {}

void Table::add(std::vector<std::string> cells) {
    if (cells.size() > columns_.size()) {
        throw std::invalid_argument("row has more cells than the table has columns");
    }
    cells.resize(columns_.size());
    rows_.push_back(std::move(cells));
}

std::string Table::str() const {
    const std::vector<std::size_t> sizes = widths();
    std::vector<std::string> titles;
    for (const Column& column : columns_) {
        titles.push_back(column.title);
    }
    std::string out;
    append_row(out, titles, sizes);
    for (const std::size_t size : sizes) {
        out += '|' + std::string(size + 2, '-');
    }
    out += "|\n";
    for (const std::vector<std::string>& row : rows_) {
        append_row(out, row, sizes);
    }
    return out;
}

std::vector<std::size_t> Table::widths() const {
    std::vector<std::size_t> sizes;
    for (std::size_t i = 0; i < columns_.size(); ++i) {
        std::size_t size = width(columns_[i].title);
        for (const std::vector<std::string>& row : rows_) {
            for (const std::string& line : split_lines(row[i])) {
                size = std::max(size, width(line));
            }
        }
        sizes.push_back(size);
    }
    return sizes;
}

void Table::append_row(std::string& out, const std::vector<std::string>& cells, const std::vector<std::size_t>& widths) const {
    for (std::size_t i = 0; i < columns_.size(); ++i) {
        out += "| ";
        out += padded(cells[i], widths[i], columns_[i].align);
        out += ' ';
    }
    out += "|\n";
}

}  // namespace text
