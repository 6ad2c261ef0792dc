#include "page_list.hpp"

#include <charconv>
#include <stdexcept>
#include <string>

namespace ranges {

namespace {

int parse_number(std::string_view text) {
    int value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size() || value < 1) {
        throw std::invalid_argument("not a page number: '" + std::string(text) + "'");
    }
    return value;
}

}  // namespace

IntervalSet parse_pages(std::string_view text) {
    IntervalSet pages;
    while (true) {
        const std::size_t comma = text.find(',');
        const std::string_view item = text.substr(0, comma);
        const std::size_t dash = item.find('-');
        const int first = parse_number(item.substr(0, dash));
        const int last = dash == std::string_view::npos ? first : parse_number(item.substr(dash + 1));
        pages.add(first, last);
        if (comma == std::string_view::npos) {
            return pages;
        }
        text.remove_prefix(comma + 1);
    }
}

}  // namespace ranges
