#include "expand.hpp"

namespace conf {

std::string expand(std::string_view text, const Settings& settings) {
    std::string result;
    while (true) {
        const std::size_t begin = text.find("${");
        const std::size_t end = begin == std::string_view::npos ? begin : text.find('}', begin);
        if (end == std::string_view::npos) {
            result += text;
            return result;
        }
        result += text.substr(0, begin);
        const std::string_view inner = text.substr(begin + 2, end - begin - 2);
        const std::size_t colon = inner.find(':');
        const std::string_view name = inner.substr(0, colon);
        if (colon != std::string_view::npos) {
            const std::string fallback(inner.substr(colon + 1));
            const auto value = settings.get_or(name, fallback);
            result += value;
        } else if (settings.has(name)) {
            result += settings.get_or(name, "");
        }
        text.remove_prefix(end + 1);
    }
}

}  // namespace conf
