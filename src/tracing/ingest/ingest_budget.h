#pragma once

#include <cstddef>
#include <string>

#include "base/core/result.h"

namespace spindle::tracing {

/// Limits of a request in the trace store, named after their settings.
struct IngestLimits {
  std::size_t stored_request = 128UL << 20;  ///< limits.stored_request, in bytes
  std::size_t stored_growth = 32;            ///< limits.stored_growth
};

/// Counts the bytes that one request adds to the trace store, during its conversion and before any
/// write. Not thread-safe.
class IngestBudget {
 public:
  /// limits.stored_growth applies only beyond this many bytes.
  static constexpr std::size_t kFreeBytes = 1UL << 20;

  /// Applies only limits.stored_request, for bodies that are stored almost unchanged.
  explicit IngestBudget(const IngestLimits& limits);
  /// Applies both limits. `request_bytes` is the size of the body after decompression.
  IngestBudget(const IngestLimits& limits, std::size_t request_bytes);

  /// Counts bytes of rows. @return kTooLarge, with the setting and its value, if the sum exceeds
  /// the limit.
  Result<void> add(std::size_t stored_bytes);

  std::size_t used() const { return used_; }

 private:
  const std::size_t most_;
  const std::string reason_;
  std::size_t used_ = 0;
};

}  // namespace spindle::tracing
