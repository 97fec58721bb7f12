#pragma once

#include <cstddef>
#include <cstdint>

#include "tracing/store/call_store.h"

namespace spindle::tracing {

/// Size of a batch of calls.
inline constexpr std::size_t kBatchRows = 256;
inline constexpr std::int64_t kBatchBytes = 8L << 20;

/// Reads rows in their stored form.
class RowReader : public CallReader {
 public:
  /// Ends the current statement, so that the snapshot can run another one. next() continues after
  /// the last row that it returned.
  virtual void pause() {}
};

/// Returns the bytes of the payloads that a call contains.
std::size_t payloadBytes(const Call& call);

}  // namespace spindle::tracing
