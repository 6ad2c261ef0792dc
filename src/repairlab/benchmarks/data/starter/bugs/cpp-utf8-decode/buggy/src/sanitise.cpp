#include "sanitise.hpp"

#include "utf8.hpp"

namespace utf8 {

bool valid(std::string_view text) {
    for (std::size_t at = 0; at < text.size();) {
        const Decoded decoded = decode(text, at);
        if (!decoded.valid) {
            return false;
        }
        at += decoded.length;
    }
    return true;
}

std::string sanitise(std::string_view text) {
    std::string result;
    for (std::size_t at = 0; at < text.size();) {
        const Decoded decoded = decode(text, at);
        encode(decoded.point, result);
        at += decoded.length;
    }
    return result;
}

std::size_t count(std::string_view text) {
    std::size_t points = 0;
    for (std::size_t at = 0; at < text.size(); at += decode(text, at).length) {
        ++points;
    }
    return points;
}

}  // namespace utf8
