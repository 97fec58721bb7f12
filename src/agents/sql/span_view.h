#pragma once

#include <optional>
#include <string>
#include <vector>

#include "agents/sql/span_fields.h"
#include "agents/sql/span_rows.h"
#include "agents/store/span_query.h"
#include "agents/store/span_results.h"
#include "base/core/result.h"
#include "pricing/project_prices.h"
#include "query/field.h"
#include "query/sql.h"

namespace spindle::agents {

/// Values that a view of spans adds to the stored columns.
struct SpanViewOptions {
  /// Spans without an agent or a conversation inherit those of their trace.
  bool identity = false;
  /// Adds the columns `input_cost_usd`, `output_cost_usd`, `cache_read_cost_usd`,
  /// `cache_creation_cost_usd` and `total_cost_usd`. Requires `prices`.
  bool costs = false;
  const pricing::ProjectPrices* prices = nullptr;
  /// The time window of the spans. The identity of a trace is searched up to one hour outside it.
  std::optional<Timestamp> after = {};
  std::optional<Timestamp> before = {};
};

/// Returns the options that the filter needs.
SpanViewOptions viewOptionsFor(const SpanFilter& filter);

/// Returns the spans as a sub-query, for the alias `c`.
Result<query::Sql> spanView(SpanRows& rows, const SpanViewOptions& view_options);

/// Returns ` AND …`: spans `c` that can give their identity to spans of this time window.
query::Sql identityWindow(std::optional<Timestamp> after, std::optional<Timestamp> before);
/// Returns true if the query uses a column that spans inherit from their trace.
bool usesIdentity(const query::Query& query);
/// Returns true if spans inherit the column from their trace.
bool isIdentity(std::string_view column);

/// Returns the condition of the filter over spans `c`. @return the errors of the query compiler.
Result<query::Sql> conditionOf(const SpanFilter& filter, const SpanDialect& dialect);

/// Returns ` AND …`: spans of conversations with these signals.
query::Sql signalCondition(const SignalFilters& signals, const SpanRows& rows);

/// A value of spans `c` with its type. Empty texts are NULL.
struct SpanValue {
  query::Sql sql;
  ValueType type = ValueType::kNumber;
  bool whole = false;  ///< an integer
};
/// Resolves a reference to a value. @return kInvalidArgument for an unknown one.
Result<SpanValue> valueOf(const ValueRef& ref, const SpanDialect& dialect);

/// Returns the key of a group of spans `c`. @return kInvalidArgument for a field that group_by does
/// not allow.
Result<query::Field> groupField(const GroupBy& group, const SpanDialect& dialect);

/// An aggregate of spans `c`.
struct Aggregate {
  query::Sql sql;
  ValueType type = ValueType::kNumber;
  bool whole = true;
};
/// Return the SQL of an aggregate over the spans that satisfy `condition`; all of them if it is
/// empty. @return kInvalidArgument if the value's type does not fit.
Result<Aggregate> aggregateOf(SpanAggregation aggregation,
                              const SpanValue* value,
                              const query::Sql& condition,
                              const SpanDialect& dialect);
Result<Aggregate> aggregateOf(const Measure& measure, const SpanDialect& dialect);

/// Return true if the value or the measure needs the cost columns.
bool needsCosts(const ValueRef& ref);
bool needsCosts(const Measure& measure);

/// Returns ` AND …`: the aggregate is within the bounds of the filter.
Result<query::Sql> boundsOf(const GroupFilter& filter, const SpanDialect& dialect);

/// Returns ` AND …`: spans of groups that match all filters. A filter without group_by applies to
/// conversations. `view` is a sub-query of spans, `condition` the filter of its rows.
Result<query::Sql> groupFilterCondition(const std::vector<GroupFilter>& filters,
                                        const query::Sql& view,
                                        const query::Sql& condition,
                                        const SpanDialect& dialect);

// Return a value of a row.
Cell cellAt(const ResultRow& row, std::size_t column, query::FieldKind kind);
Cell cellAt(const ResultRow& row, std::size_t column, const Aggregate& aggregate);

}  // namespace spindle::agents
