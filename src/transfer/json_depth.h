#pragma once

#include <cstddef>

namespace spindle::transfer {

/// Limit of the nesting of the JSON of a call. Deeper JSON is not parsed.
inline constexpr std::size_t kMaxJsonDepth = 512;

}  // namespace spindle::transfer
