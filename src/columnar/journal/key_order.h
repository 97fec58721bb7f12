#pragma once

#include <string_view>

#include "base/core/sql_text.h"

namespace spindle::columnar {

/// Tells keys that grow with time from all other keys, for families that contain both.
struct KeyOrder {
  bool (*ordered)(std::string_view key) = nullptr;  ///< pure function
  SqlView unordered;  ///< SQL condition on the key column that selects all other keys
};

/// The order of a key column `id` with version 7 UUIDs, which grow with time, and other ids, such
/// as random UUIDs and the ids of OpenTelemetry spans.
inline constexpr KeyOrder kUuid7Order{
    [](std::string_view key) { return key.size() == 36 && key[14] == '7'; },
    "length(id) <> 36 OR substr(id, 15, 1) <> '7'"};

}  // namespace spindle::columnar
