#pragma once

#include <string>
#include <string_view>

#include "base/time.h"

namespace spindle {

/// A new UUIDv7, lower case: 48 bits of milliseconds, 16 that order the ids of one millisecond as
/// this process made them, the rest random.
std::string newUuid(Timestamp now);

/// A new 26-character ULID behind a prefix: `usr_01J…`. Later ids sort after earlier ones, those of
/// one millisecond too where one process made them.
std::string newPrefixedId(std::string_view prefix, Timestamp now);

}  // namespace spindle
