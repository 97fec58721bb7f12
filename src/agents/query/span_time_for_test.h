#pragma once

#include <chrono>
#include <cstdint>

#include "base/core/time.h"

namespace spindle::agents {

/// Returns a time of a test: `since` seconds after a fixed midnight.
inline Timestamp at(double since) {
  return Timestamp(std::chrono::hours(24) * 20'000) +
         std::chrono::microseconds(static_cast<std::int64_t>(since * 1e6));
}

}  // namespace spindle::agents
