#include "cells.hpp"

namespace text {

std::vector<std::string> split_lines(std::string_view cell) {
    std::vector<std::string> lines;
    while (true) {
        const std::size_t end = cell.find('\n');
        lines.emplace_back(cell.substr(0, end));
        if (end == std::string_view::npos) {
            return lines;
        }
        cell.remove_prefix(end + 1);
    }
}

std::size_t width(std::string_view line) {
    std::size_t count = 0;
    for (const char c : line) {
        if ((static_cast<unsigned char>(c) & 0xC0) != 0x80) {
            ++count;
        }
    }
    return count;
}

std::string padded(std::string_view line, std::size_t columns, Align align) {
    const std::size_t length = width(line);
    const std::string blanks(columns > length ? columns - length : 0, ' ');
    return align == Align::left ? std::string(line) + blanks : blanks + std::string(line);
}

}  // namespace text
