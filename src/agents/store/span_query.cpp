#include "agents/store/span_query.h"

#include <algorithm>
#include <array>

#include "agents/store/span_column.h"

namespace spindle::agents {
namespace {

constexpr auto kTypes =
    std::to_array<std::string_view>({"number", "string", "boolean", "datetime"});
constexpr auto kAggregations = std::to_array<std::string_view>(
    {"sum", "avg", "min", "max", "count", "count_distinct", "count_true", "count_false"});

bool isLetter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }

}  // namespace

std::string_view nameOf(ValueType type) { return kTypes.at(static_cast<std::size_t>(type)); }

std::string_view nameOf(SpanAggregation aggregation) {
  return kAggregations.at(static_cast<std::size_t>(aggregation));
}

bool fits(SpanAggregation aggregation, ValueType type) {
  switch (aggregation) {
    case SpanAggregation::kSum:
    case SpanAggregation::kAvg:
      return type == ValueType::kNumber;
    case SpanAggregation::kMin:
    case SpanAggregation::kMax:
      return type == ValueType::kNumber || type == ValueType::kDateTime;
    case SpanAggregation::kCountTrue:
    case SpanAggregation::kCountFalse:
      return type == ValueType::kBoolean;
    case SpanAggregation::kCount:
    case SpanAggregation::kCountDistinct:
      return true;
  }
  return false;
}

bool isIdentifier(std::string_view text) {
  return !text.empty() && isLetter(text.front()) &&
         std::all_of(text.begin(), text.end(),
                     [](char c) { return isLetter(c) || (c >= '0' && c <= '9'); });
}

std::string aliasOf(const GroupBy& group) {
  if (group.alias) return *group.alias;
  if (customTypeOf(group.source)) return group.key;
  const SpanColumn* column = findGroupColumn(group.key);
  // A column keeps the name and the spelling of the request.
  if (column == nullptr || findSpanColumn(group.key) == column) return group.key;
  return std::string(column->name.text());
}

}  // namespace spindle::agents
