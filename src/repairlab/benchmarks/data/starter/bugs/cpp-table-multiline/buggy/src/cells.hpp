#ifndef TEXT_CELLS_HPP
#define TEXT_CELLS_HPP

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace text {

enum class Align { left, right };

/// The lines of a cell; an empty cell has one empty line.
std::vector<std::string> split_lines(std::string_view cell);

/// How many characters one line of UTF-8 text has.
std::size_t width(std::string_view line);

/// One line filled up with blanks to `columns` characters.
std::string padded(std::string_view line, std::size_t columns, Align align);

}  // namespace text

#endif
