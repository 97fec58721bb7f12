#pragma once

#include <cstddef>
#include <string>

#include "base/result.h"

namespace spindle::tracing {

/// What a request may become in the trace store; see the settings that the members are named after.
struct IntakeLimits {
  std::size_t stored_request = 128UL << 20;  ///< limits.stored_request, in bytes
  std::size_t stored_growth = 32;            ///< limits.stored_growth
};

/// Counts what one request becomes in the trace store, while it is made ready and before any of it
/// is written. Used by one thread at a time.
class IntakeBudget {
 public:
  /// A request never becomes too large for limits.stored_growth before it takes this much.
  static constexpr std::size_t kFreeBytes = 1UL << 20;

  /// Bounds by limits.stored_request alone, for bodies that the store takes almost as they are.
  explicit IntakeBudget(const IntakeLimits& limits);
  /// Bounds by both. `request_bytes` is the size of the body after decompression.
  IntakeBudget(const IntakeLimits& limits, std::size_t request_bytes);

  /// Counts bytes of rows. @return kTooLarge, with the setting and its value, when the sum exceeds
  /// the bounds.
  Result<void> add(std::size_t stored_bytes);

  std::size_t used() const { return used_; }

 private:
  const std::size_t most_;
  const std::string reason_;
  std::size_t used_ = 0;
};

}  // namespace spindle::tracing
