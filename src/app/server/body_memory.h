#pragma once

#include <cstdint>

#include "config/settings.h"

namespace spindle::app {

/// Memory limits of request bodies, in bytes.
struct BodyMemory {
  std::size_t server = 0;
  std::size_t per_key = 0;
  std::size_t unauthenticated = 0;
};

/// Returns the limits of the settings. Limits that are 0 are derived from the machine's memory.
BodyMemory bodyMemory(const config::LimitSettings& limits, std::uint64_t machine_memory);

}  // namespace spindle::app
