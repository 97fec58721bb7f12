#pragma once

#include <string_view>
#include <vector>

#include "agents/store/span.h"
#include "base/core/result.h"

namespace spindle::agents {

/// Stores agent spans. Thread-safe; blocks until they are on disk.
class SpanSink {
 public:
  virtual ~SpanSink() = default;

  /// Stores all spans or none. A span with the same trace and span id is replaced.
  /// @return kRateLimited if too many writes are pending; kStorageFull; kUnavailable.
  virtual Result<void> write(std::string_view project_id, std::vector<AgentSpan> spans) = 0;
};

}  // namespace spindle::agents
