#include "read.hpp"

#include <charconv>

namespace num {

namespace {

bool read_whole(std::string_view text, long long& value) {
    const char* const end = text.data() + text.size();
    const auto result = std::from_chars(text.data(), end, value);
    return result.ec == std::errc() && result.ptr == end;
}

}  // namespace

std::optional<Rational> read_rational(std::string_view text) {
    const std::size_t slash = text.find('/');
    long long numerator = 0;
    long long denominator = 1;
    if (!read_whole(text.substr(0, slash), numerator)) {
        return std::nullopt;
    }
    if (slash != std::string_view::npos && !read_whole(text.substr(slash + 1), denominator)) {
        return std::nullopt;
    }
    if (denominator <= 0) {
        return std::nullopt;
    }
    return Rational(numerator, denominator);
}

}  // namespace num
