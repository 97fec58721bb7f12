#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "columnar/store/snapshot.h"
#include "tracing/calls/call_outline.h"

namespace spindle::tracing {

/// Returns the visible calls of a trace, oldest first; at most `limit`.
Result<std::vector<OutlinedCall>> readCallOutline(columnar::Snapshot& snapshot,
                                                  const std::vector<columnar::Source>& sources,
                                                  std::string_view trace_id,
                                                  std::int64_t limit);

}  // namespace spindle::tracing
