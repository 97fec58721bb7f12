#pragma once

#include <optional>
#include <string>
#include <vector>

#include "agents/columnar_span_store.h"
#include "agents/span_question.h"
#include "base/result.h"
#include "pricing/price_choice.h"
#include "query/field.h"
#include "query/sql.h"

namespace spindle::feedback {
class FeedbackStore;
}

namespace spindle::agents {

/// What the spans of a view know beyond what is stored.
struct SpanViewWish {
  /// Spans without an agent or a conversation take those of their trace.
  bool identity = false;
  /// Columns `input_cost_usd`, `output_cost_usd`, `cache_read_cost_usd`, `cache_creation_cost_usd`,
  /// `total_cost_usd`; needs `prices`.
  bool costs = false;
  const pricing::ProjectPrices* prices = nullptr;
  /// Where to look for who gave a trace its identity: an hour around these.
  std::optional<Timestamp> after = {};
  std::optional<Timestamp> before = {};
};

/// What it takes to find those that are selected.
SpanViewWish wishOf(const SpanSelection& selection);

/// The spans as a sub-query, to be named `c`.
Result<query::Sql> spanView(SpanRows& rows, const SpanViewWish& wish);

/// Whether a selection asks for what is inherited.
bool usesIdentity(const query::Query& query);
bool isIdentity(std::string_view column);

/// `WHERE …` over spans `c`. @return the errors of the query compiler.
Result<query::Sql> conditionOf(const SpanSelection& selection);

/// ` AND …`: spans of conversations with these signals.
query::Sql signalCondition(const SignalFilters& signals,
                           const SpanRows& rows,
                           SqlView feedback_rows);

/// A value of spans `c` and what it is. Empty texts are NULL. @return kInvalidArgument for an
/// unknown one.
struct SpanValue {
  query::Sql sql;
  ValueType type = ValueType::kNumber;
  bool whole = false;  ///< an integer
};
Result<SpanValue> valueOf(const ValueRef& ref);

/// The key of a group of spans `c`. @return kInvalidArgument for what may not be grouped by.
Result<query::Field> groupField(const GroupBy& group);

/// An aggregate of spans `c`. @return kInvalidArgument when the value does not suit.
struct Aggregate {
  query::Sql sql;
  ValueType type = ValueType::kNumber;
  bool whole = true;
};
Result<Aggregate> aggregateOf(SpanAggregation aggregation,
                              const SpanValue* value,
                              const query::Sql& filter);
Result<Aggregate> aggregateOf(const Measure& measure);

/// Whether a measure needs the columns of costs.
bool needsCosts(const ValueRef& ref);
bool needsCosts(const Measure& measure);

/// ` AND …` for an aggregate that must lie within bounds.
Result<query::Sql> boundsOf(const GroupFilter& filter);

/// A time that a database cursor gives, a number, a text: any value of an answer.
using Cell = std::variant<std::monostate, std::int64_t, double, bool, std::string, Timestamp>;
Cell cellAt(const columnar::Cursor& cursor, std::size_t column, query::FieldKind kind);
Cell cellAt(const columnar::Cursor& cursor, std::size_t column, const Aggregate& aggregate);

}  // namespace spindle::agents
