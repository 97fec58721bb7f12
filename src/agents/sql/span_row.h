#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "agents/sql/result_row.h"
#include "agents/store/span.h"
#include "agents/store/span_column.h"
#include "base/core/time.h"
#include "columnar/journal/family.h"
#include "query/sql.h"

namespace spindle::agents {

/// Returns the layout of stored spans: the key and the trace hash, the maps of custom attributes
/// as JSON texts, and kSpanColumns.
columnar::Family spanFamily();

/// Returns the index of `turn_number` in a row.
std::size_t turnColumn();

/// Returns a 24-bit hash of a trace id, which is much faster to scan than the text.
std::int64_t traceHash(std::string_view trace_id);

/// Returns the condition that a span `c` belongs to one of the traces. `trace_ids` is not empty.
query::Sql haveTraces(const std::vector<std::string>& trace_ids);

columnar::Row rowOf(AgentSpan span);

/// Visits the member of a column and returns the value for its type. Messages are stored as text.
template <class T>
struct ByMember {
  T text;
  T integer;
  T real;
  T time;
  T texts;

  T operator()(std::string AgentSpan::* /*member*/) const { return text; }
  T operator()(std::int64_t AgentSpan::* /*member*/) const { return integer; }
  T operator()(std::optional<std::int64_t> AgentSpan::* /*member*/) const { return integer; }
  T operator()(double AgentSpan::* /*member*/) const { return real; }
  T operator()(Timestamp AgentSpan::* /*member*/) const { return time; }
  T operator()(std::optional<Timestamp> AgentSpan::* /*member*/) const { return time; }
  T operator()(std::vector<std::string> AgentSpan::* /*member*/) const { return texts; }
  T operator()(std::vector<SpanMessage> AgentSpan::* /*member*/) const { return text; }
};

/// Returns `c.<name>, …` of the columns.
SqlText columnList(const std::vector<const SpanColumn*>& columns);

/// Reads a span from a row with these columns, in this order. Other members keep the values of a
/// new AgentSpan.
AgentSpan readSpan(const ResultRow& row, const std::vector<const SpanColumn*>& columns);

}  // namespace spindle::agents
