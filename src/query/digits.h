#pragma once

#include <string_view>

namespace spindle::query {

/// Returns true if the text has at least one character and all of them are decimal digits.
inline bool isDigits(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

}  // namespace spindle::query
