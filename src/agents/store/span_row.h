#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "agents/store/span.h"
#include "agents/store/span_column.h"
#include "columnar/journal/family.h"
#include "query/sql.h"

namespace spindle::columnar {
class Cursor;
}

namespace spindle::agents {

/// Returns the columnar layout of spans: the key and the trace hash, the maps of custom attributes
/// as JSON texts, and kSpanColumns.
columnar::Family spanFamily();

/// Returns the key of a span: its trace id and span id. A span that is sent again replaces the old
/// one, even with another start.
std::string spanKey(const AgentSpan& span);

/// Returns the index of `turn_number` in a row.
std::size_t turnColumn();

/// Returns a 24-bit hash of a trace id, which is much faster to scan than the text.
std::int64_t traceHash(std::string_view trace_id);

/// Returns the condition that a span `c` belongs to one of the traces. `trace_ids` is not empty.
query::Sql oneOfTraces(const std::vector<std::string>& trace_ids);

columnar::Row rowOf(AgentSpan span);

/// Returns an upper bound of a span's size in the journal, which approximates its size in memory.
std::size_t storedBytes(const AgentSpan& span);

/// Returns `c.<name>, …` of the columns.
SqlText columnList(const std::vector<const SpanColumn*>& columns);

/// Reads a span from a cursor with these columns, in this order. Other members keep the values of a
/// new AgentSpan.
AgentSpan readSpan(const columnar::Cursor& cursor, const std::vector<const SpanColumn*>& columns);

}  // namespace spindle::agents
