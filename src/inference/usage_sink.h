#pragma once

#include <vector>

#include "base/result.h"
#include "inference/usage.h"

namespace spindle::inference {

/// Where usage is kept. Thread-safe; blocks on disk.
class UsageSink {
 public:
  virtual ~UsageSink() = default;
  /// All or none; on disk when it returns. @return kRateLimited, kStorageFull, kUnavailable.
  virtual Result<void> write(const std::vector<UsageRecord>& records) = 0;
};

}  // namespace spindle::inference
