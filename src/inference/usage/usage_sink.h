#pragma once

#include <vector>

#include "base/core/result.h"
#include "inference/usage/usage.h"

namespace spindle::inference {

/// The interface through which usage is stored. Thread-safe; blocks on disk.
class UsageSink {
 public:
  virtual ~UsageSink() = default;
  /// Stores all records or none; they are on disk when it returns.
  /// @return kRateLimited, kStorageFull, kUnavailable.
  virtual Result<void> write(const std::vector<UsageRecord>& records) = 0;
};

}  // namespace spindle::inference
