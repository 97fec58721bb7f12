#pragma once

#include <cstddef>

#include "agents/store/span.h"

namespace spindle::agents {

/// Returns an upper bound of a span's size in the journal, which approximates its size in memory.
std::size_t storedBytes(const AgentSpan& span);

}  // namespace spindle::agents
