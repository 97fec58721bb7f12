#pragma once

#include <cstdint>

#include "config/settings.h"

namespace spindle::app {

/// Memory budgets of request bodies, in bytes.
struct BodyMemory {
  std::size_t server = 0;
  std::size_t per_key = 0;
  std::size_t unauthenticated = 0;
};

/// Returns the budgets that the settings name; those left at 0 are derived from the memory.
BodyMemory bodyMemory(const config::LimitSettings& limits, std::uint64_t machine_memory);

}  // namespace spindle::app
