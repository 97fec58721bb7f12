#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/time.h"

namespace spindle::tracing {

/// A conversation, by its turns: calls that are their own turn. Turns that have not ended count,
/// but a thread of nothing else does not show.
struct Thread {
  std::string id;
  std::int64_t turn_count = 0;
  Timestamp start_time;    ///< the earliest start
  Timestamp last_updated;  ///< the latest end
  std::string first_turn_id;
  std::string last_turn_id;
  std::optional<double> p50_turn_ms = {};
  std::optional<double> p99_turn_ms = {};
};

enum class ThreadField { kId, kTurnCount, kStartTime, kLastUpdated, kP50, kP99 };

struct ThreadOrder {
  ThreadField field = ThreadField::kLastUpdated;
  bool descending = true;
};

struct ThreadQuery {
  std::optional<Timestamp> after = {};       ///< turns that started later
  std::optional<Timestamp> before = {};      ///< turns that started earlier
  std::vector<std::string> thread_ids = {};  ///< none: all
  std::vector<ThreadOrder> order = {};       ///< none: as ThreadOrder says
  std::optional<std::int64_t> limit = {};
  std::int64_t offset = 0;
};

}  // namespace spindle::tracing
