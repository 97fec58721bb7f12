#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/time.h"
#include "query/expression.h"

namespace spindle::agents {

/// Where a value of spans is: a field or column, something derived, or a map of custom attributes.
struct ValueRef {
  std::string source = "field";
  std::string key;
};

/// What spans are grouped by.
struct GroupBy {
  std::string source = "field";
  std::string key;
  std::optional<std::string> alias = {};

  bool operator==(const GroupBy&) const = default;
};

enum class ValueType { kNumber, kString, kBoolean, kDateTime };
/// `number`, `string`, …
std::string_view nameOf(ValueType type);

enum class SpanAggregation {
  kSum,
  kAvg,
  kMin,
  kMax,
  kCount,
  kCountDistinct,
  kCountTrue,
  kCountFalse
};
/// `sum`, `count_true`, …
std::string_view nameOf(SpanAggregation aggregation);
/// Whether values of that type can be put together so.
bool fits(SpanAggregation aggregation, ValueType type);

/// A figure of each group.
struct Measure {
  std::string alias;
  SpanAggregation aggregation = SpanAggregation::kCount;
  std::optional<ValueRef> value = {};
  std::optional<ValueType> value_type = {};
  std::optional<query::Query> filter = {};
};

/// A bound of a measure.
using Bound = std::variant<double, Timestamp>;

/// Only groups whose measure is within the bounds, these included.
struct GroupFilter {
  std::vector<GroupBy> group_by = {};
  Measure measure = {};
  std::optional<Bound> min = {};
  std::optional<Bound> max = {};
};

/// How the values of a custom attribute are spread within each group.
struct Distribution {
  std::string alias;
  ValueRef value;
  std::int64_t bins = 12;
  std::int64_t top_n = 5;
};

struct RatingFilter {
  std::string scorer_key;
  std::string op = "gte";
  double value = 0;
};

/// Only conversations of which people or monitors said so.
struct SignalFilters {
  std::vector<std::string> tags = {};      ///< any of them
  std::vector<RatingFilter> ratings = {};  ///< all of them

  bool empty() const { return tags.empty() && ratings.empty(); }
};

/// Which spans are meant.
struct SpanSelection {
  std::optional<query::Query> query = {};
  std::optional<Timestamp> started_after = {};   ///< inclusive
  std::optional<Timestamp> started_before = {};  ///< exclusive
};

struct SpanPage {
  std::vector<query::SortKey> sort_by = {};
  std::int64_t limit = 100;
  std::int64_t offset = 0;
};

struct SpanQuestion {
  SpanSelection selection = {};
  SpanPage page = {};
  std::vector<GroupBy> group_by = {};
  std::vector<Measure> measures = {};
  std::vector<GroupFilter> group_filters = {};
  std::vector<Distribution> distributions = {};
  std::vector<ValueRef> custom_columns = {};
  SignalFilters signals = {};
  bool details = false;
  bool costs = false;
};

/// A text that may stand in an answer as the name of a member: letters, digits and underscores.
bool isIdentifier(std::string_view text);

/// The name that a group goes by in answers.
std::string aliasOf(const GroupBy& group);

}  // namespace spindle::agents
