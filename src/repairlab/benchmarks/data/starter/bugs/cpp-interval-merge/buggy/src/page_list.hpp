#ifndef RANGES_PAGE_LIST_HPP
#define RANGES_PAGE_LIST_HPP

#include <string_view>

#include "interval_set.hpp"

namespace ranges {

/// Reads a list of pages as print dialogues take it: "1,3-5,12". Throws std::invalid_argument on anything else.
IntervalSet parse_pages(std::string_view text);

}  // namespace ranges

#endif
