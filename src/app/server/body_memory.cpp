#include "app/server/body_memory.h"

#include <algorithm>

#include "base/core/byte_units.h"

namespace spindle::app {
namespace {

constexpr std::size_t kLeastForServer = 256 * kMiB;
constexpr std::size_t kLeastUnauthenticated = 16 * kMiB;

std::size_t orElse(std::size_t chosen, std::size_t automatic) {
  return chosen > 0 ? chosen : automatic;
}

}  // namespace

BodyMemory bodyMemory(const config::LimitSettings& limits, std::uint64_t machine_memory) {
  BodyMemory memory;
  memory.server = orElse(limits.body_memory,
                         std::max(static_cast<std::size_t>(machine_memory / 4), kLeastForServer));
  memory.per_key = std::min(memory.server, orElse(limits.body_memory_per_key,
                                                  std::max(memory.server / 4, 2 * limits.body)));
  memory.unauthenticated = std::min(
      memory.server,
      orElse(limits.unauthenticated_memory, std::max(memory.server / 32, kLeastUnauthenticated)));
  return memory;
}

}  // namespace spindle::app
