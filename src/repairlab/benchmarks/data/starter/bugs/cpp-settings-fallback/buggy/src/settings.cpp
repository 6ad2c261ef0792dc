#include "settings.hpp"

#include <charconv>
#include <stdexcept>

namespace conf {

namespace {

std::string_view trimmed(std::string_view text) {
    const std::size_t begin = text.find_first_not_of(" \t\r");
    if (begin == std::string_view::npos) {
        return {};
    }
    const std::size_t end = text.find_last_not_of(" \t\r");
    return text.substr(begin, end - begin + 1);
}

}  // namespace

void Settings::load(std::string_view text) {
    int number = 0;
    while (!text.empty()) {
        ++number;
        const std::size_t end = text.find('\n');
        const std::string_view line = trimmed(text.substr(0, end));
        text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
        if (line.empty() || line.front() == '#') {
            continue;
        }
        const std::size_t equals = line.find('=');
        if (equals == std::string_view::npos) {
            throw std::invalid_argument("line " + std::to_string(number) + " has no '='");
        }
        set(trimmed(line.substr(0, equals)), trimmed(line.substr(equals + 1)));
    }
}

void Settings::set(std::string_view key, std::string_view value) {
    values_.insert_or_assign(std::string(key), std::string(value));
}

bool Settings::has(std::string_view key) const {
    return values_.find(key) != values_.end();
}

std::string_view Settings::get_or(std::string_view key, std::string fallback) const {
    const auto found = values_.find(key);
    if (found == values_.end()) {
        return fallback;
    }
    return found->second;
}

long Settings::get_number(std::string_view key, long fallback) const {
    const auto found = values_.find(key);
    if (found == values_.end()) {
        return fallback;
    }
    const std::string& text = found->second;
    long value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    return error == std::errc() && end == text.data() + text.size() ? value : fallback;
}

}  // namespace conf
