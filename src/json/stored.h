#pragma once

#include <cstddef>
#include <string>

#include "json/document.h"

namespace spindle::json {

/// Maximum depth of JSON that the server accepted earlier or wrote itself. It exceeds the maximum
/// of `limits.json_depth` (1000) plus every level that the server adds around a value, so no
/// setting and no input makes stored JSON unreadable.
inline constexpr std::size_t kStoredDepth = 2000;

/// Parses JSON that was valid when it was stored. @throws std::runtime_error if it is no longer
/// valid because the storage is damaged; the request then fails with 500.
Document parseStored(std::string text);

}  // namespace spindle::json
