#ifndef CONF_SETTINGS_HPP
#define CONF_SETTINGS_HPP

#include <cstddef>
#include <functional>
#include <map>
#include <string>
#include <string_view>

namespace conf {

/// Keys and values of a file with lines like `key = value`; lines that begin with # are comments.
class Settings {
  public:
    /// Reads a whole file's text; throws std::invalid_argument naming the line that makes no sense.
    void load(std::string_view text);

    void set(std::string_view key, std::string_view value);

    bool has(std::string_view key) const;

    /// The value of `key`, or `fallback` when it is not set.
    std::string_view get_or(std::string_view key, std::string fallback) const;

    /// Like `get_or`, for whole numbers; a value that is none counts as not set.
    long get_number(std::string_view key, long fallback) const;

    std::size_t size() const { return values_.size(); }

  private:
    std::map<std::string, std::string, std::less<>> values_;
};

}  // namespace conf

#endif
