#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/core/time.h"

namespace spindle::tracing {

/// A conversation, derived from its turns: calls that are their own turn. Running turns count, but
/// a thread with only running turns is not returned.
struct Thread {
  std::string id;
  std::int64_t turn_count = 0;
  Timestamp start_time;    ///< earliest start
  Timestamp last_updated;  ///< latest end
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
  std::optional<Timestamp> after = {};       ///< only turns that started later
  std::optional<Timestamp> before = {};      ///< only turns that started earlier
  std::vector<std::string> thread_ids = {};  ///< empty: all
  std::vector<ThreadOrder> order = {};       ///< empty: the default of ThreadOrder
  std::optional<std::int64_t> limit = {};
  std::int64_t offset = 0;
};

}  // namespace spindle::tracing
