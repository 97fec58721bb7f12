#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/core/result.h"
#include "base/core/time.h"

namespace spindle::agents {

/// A turn that has ended: a span without a parent, with an end. Has the data of the event.
struct EndedTurn {
  std::string project_id;
  std::string trace_id;
  std::string span_id;
  std::string status_code;
  std::string operation_name;
  std::string conversation_id;
  /// Position in the order in which turns were stored.
  std::int64_t number = 0;
};

/// The ended turns of a store that several servers write to, by the time at which they were stored.
/// Thread-safe; blocks.
class SharedTurnLog {
 public:
  virtual ~SharedTurnLog() = default;

  /// Returns turns with after < number <= until, in the order of their numbers, which are
  /// microseconds since 1970. Returns `limit` turns or fewer, and all turns that have the number of
  /// the last one. A turn that is sent again appears again, with a greater number.
  /// @return kUnavailable, kTimeout.
  virtual Result<std::vector<EndedTurn>> turnsStored(std::int64_t after,
                                                     std::int64_t until,
                                                     std::size_t limit) const = 0;
};

}  // namespace spindle::agents
