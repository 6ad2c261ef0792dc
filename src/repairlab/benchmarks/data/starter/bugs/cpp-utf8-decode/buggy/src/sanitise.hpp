#ifndef UTF8_SANITISE_HPP
#define UTF8_SANITISE_HPP

#include <cstddef>
#include <string>
#include <string_view>

namespace utf8 {

/// Whether the whole text is UTF-8.
bool valid(std::string_view text);

/// The text with U+FFFD in the place of every byte that is not part of valid UTF-8.
std::string sanitise(std::string_view text);

/// How many code points there are; an invalid byte counts as one.
std::size_t count(std::string_view text);

}  // namespace utf8

#endif
