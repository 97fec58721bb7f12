#pragma once

#include <string_view>

#include "base/core/time.h"

namespace spindle::statistics {

/// Parses a date or time in UTC.
inline Timestamp utc(std::string_view text) { return *parseTimestamp(text).value; }

}  // namespace spindle::statistics
