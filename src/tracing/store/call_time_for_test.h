#pragma once

#include <chrono>

#include "base/core/time.h"

namespace spindle::tracing {

/// Returns a time on a fixed day: this long after its start.
inline Timestamp at(std::chrono::milliseconds since) {
  return Timestamp(std::chrono::hours(24) * 20'000 + since);
}

}  // namespace spindle::tracing
