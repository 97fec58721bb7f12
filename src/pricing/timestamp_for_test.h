#pragma once

#include <string_view>

#include "base/core/time.h"

namespace spindle::pricing {

/// Parses a date or time in UTC.
inline Timestamp at(std::string_view text) { return *parseTimestamp(text).value; }

}  // namespace spindle::pricing
