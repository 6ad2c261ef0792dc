#ifndef NUM_READ_HPP
#define NUM_READ_HPP

#include <optional>
#include <string_view>

#include "rational.hpp"

namespace num {

/// Reads "3", "-3" or "3/4"; nothing when the text is no such fraction.
std::optional<Rational> read_rational(std::string_view text);

}  // namespace num

#endif
