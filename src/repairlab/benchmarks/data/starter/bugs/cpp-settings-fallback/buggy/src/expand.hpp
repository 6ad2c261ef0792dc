#ifndef CONF_EXPAND_HPP
#define CONF_EXPAND_HPP

#include <string>
#include <string_view>

#include "settings.hpp"

namespace conf {

/// Replaces `${name}` and `${name:fallback}` by the values of `settings`; an unknown name without fallback becomes nothing.
std::string expand(std::string_view text, const Settings& settings);

}  // namespace conf

#endif
