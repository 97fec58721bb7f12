#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/core/time.h"

namespace spindle::feedback {

enum class GroupKey { kScorerId, kAgentName, kAgentVersion, kStatusCode };

/// A query that counts tags and ratings over a time range. An empty list sets no condition.
struct FeedbackAggregateQuery {
  Timestamp after;   ///< inclusive
  Timestamp before;  ///< exclusive
  std::optional<std::int64_t> bucket_seconds = {};
  std::vector<std::string> type_prefixes = {};
  std::vector<std::string> tags = {};  ///< any of them
  std::optional<double> rating_min = {};
  std::optional<double> rating_max = {};
  std::vector<std::string> monitor_ids = {};  ///< `name:version`, or a prefix followed by `*`
  std::vector<std::string> scorer_ids = {};
  std::vector<std::string> agent_names = {};
  std::vector<std::string> target_kinds = {};
  std::vector<GroupKey> group_by = {};
};

/// Name of the rating that rating_min and rating_max apply to.
inline constexpr std::string_view kMainRating = "_rating_";

struct AggregateBucket {
  std::optional<std::int64_t> start_ms = {};  ///< not set without time buckets
  std::map<std::string, std::string> group = {};
  std::int64_t total_count = 0;
  std::int64_t scored_count = 0;  ///< with a tag or a rating
  std::map<std::string, std::int64_t> tag_counts = {};
  std::map<std::string, std::int64_t> rating_counts = {};
  std::map<std::string, double> rating_sums = {};
};

/// Returns the wire name of a key, such as `scorer_id`.
std::string_view textOf(GroupKey key);

}  // namespace spindle::feedback
