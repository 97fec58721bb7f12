#pragma once

#include <cstddef>

namespace spindle::objects {

/// Limit of the ids or digests in one query. Longer lists are queried in batches.
inline constexpr std::size_t kKeysPerQuery = 128;

}  // namespace spindle::objects
