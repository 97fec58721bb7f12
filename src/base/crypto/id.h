#pragma once

#include <string>
#include <string_view>

#include "base/core/time.h"

namespace spindle {

/// Returns a new lower-case UUIDv7: 48 bits of milliseconds, 16 bits that order the ids of this
/// process within a millisecond, the rest random.
std::string newUuid(Timestamp now);

/// Returns a new 26-character ULID with a prefix: `usr_01J…`. Later ids sort after earlier ones;
/// within one millisecond this holds for the ids of one process.
std::string newPrefixedId(std::string_view prefix, Timestamp now);

}  // namespace spindle
