#ifndef UTF8_HPP
#define UTF8_HPP

#include <cstddef>
#include <string>
#include <string_view>

namespace utf8 {

constexpr char32_t replacement = 0xFFFD;

struct Decoded {
    char32_t point;      // `replacement` when invalid
    std::size_t length;  // bytes to go on by
    bool valid;
};

/// Reads the code point that begins at byte `at`, which must lie inside the text. Of an invalid sequence one byte is taken.
Decoded decode(std::string_view text, std::size_t at);

/// Appends a code point.
void encode(char32_t point, std::string& out);

}  // namespace utf8

#endif
