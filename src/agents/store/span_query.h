#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/core/time.h"
#include "query/expression.h"

namespace spindle::agents {

/// A reference to a value of spans: a field or column, a derived value, or a custom attribute.
struct ValueRef {
  std::string source = "field";
  std::string key;
};

/// A key of group_by.
struct GroupBy {
  std::string source = "field";
  std::string key;
  std::optional<std::string> alias = {};

  bool operator==(const GroupBy&) const = default;
};

enum class ValueType { kNumber, kString, kBoolean, kDateTime };
/// Returns `number`, `string`, ….
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
/// Returns `sum`, `count_true`, ….
std::string_view nameOf(SpanAggregation aggregation);
/// Returns true if the aggregation accepts values of the type.
bool fits(SpanAggregation aggregation, ValueType type);

/// An aggregate that is computed for each group.
struct Measure {
  std::string alias;
  SpanAggregation aggregation = SpanAggregation::kCount;
  std::optional<ValueRef> value = {};
  std::optional<ValueType> value_type = {};
  std::optional<query::Query> filter = {};
};

/// A bound of a measure.
using Bound = std::variant<double, Timestamp>;

/// Selects groups whose measure is within the bounds, inclusive.
struct GroupFilter {
  std::vector<GroupBy> group_by = {};
  Measure measure = {};
  std::optional<Bound> min = {};
  std::optional<Bound> max = {};
};

/// The distribution of a custom attribute's values within each group.
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

/// Selects conversations with feedback of people or monitors.
struct SignalFilters {
  std::vector<std::string> tags = {};      ///< any of these
  std::vector<RatingFilter> ratings = {};  ///< all of these

  bool empty() const { return tags.empty() && ratings.empty(); }
};

/// The filter of a query of spans.
struct SpanFilter {
  std::optional<query::Query> query = {};
  std::optional<Timestamp> started_after = {};   ///< inclusive
  std::optional<Timestamp> started_before = {};  ///< exclusive
};

struct SpanPage {
  std::vector<query::SortKey> sort_by = {};
  std::int64_t limit = 100;
  std::int64_t offset = 0;
};

struct SpanQuery {
  SpanFilter filter = {};
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

/// Returns true if the text can be a member name in a response: letters, digits and underscores.
bool isIdentifier(std::string_view text);

/// Returns the name of a group key in responses.
std::string aliasOf(const GroupBy& group);

}  // namespace spindle::agents
