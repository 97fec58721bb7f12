#pragma once

#include <string_view>
#include <vector>

#include "agents/span.h"
#include "base/result.h"

namespace spindle::agents {

/// Where spans of agents go. Thread-safe; blocks until they are on disk.
class SpanSink {
 public:
  virtual ~SpanSink() = default;

  /// Stores all of them or none. A span that was sent before (same trace and span id) is replaced.
  /// @return kRateLimited when too much is waiting; kStorageFull; kUnavailable.
  virtual Result<void> write(std::string_view project_id, std::vector<AgentSpan> spans) = 0;
};

}  // namespace spindle::agents
