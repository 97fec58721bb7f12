#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "agents/span.h"
#include "agents/span_column.h"
#include "columnar/family.h"
#include "query/sql.h"

namespace spindle::columnar {
class Cursor;
}

namespace spindle::agents {

/// How spans lie in the columnar store: kSpanColumns, the maps of custom attributes as JSON texts,
/// and what finds them.
columnar::Family spanFamily();

/// What a span is stored under: a span that is sent again takes the place of the old one, whatever
/// it says of its start.
std::string spanKey(const AgentSpan& span);

/// Where `turn_number` stands in a row.
std::size_t turnColumn();

/// Some bits of a trace id, as a number: much quicker to look for than the text.
std::int64_t traceHash(std::string_view trace_id);

/// A condition: spans `c` of one of these traces, of which there is at least one.
query::Sql oneOfTraces(const std::vector<std::string>& trace_ids);

columnar::Row rowOf(AgentSpan span);

/// About what a span takes in memory and in the journal.
std::size_t storedBytes(const AgentSpan& span);

/// `c.<name>, …` of these columns.
SqlText columnList(const std::vector<const SpanColumn*>& columns);

/// Reads a span from a cursor whose columns are `columns`, in that order. What is not among them
/// stays as in a new AgentSpan.
AgentSpan readSpan(const columnar::Cursor& cursor, const std::vector<const SpanColumn*>& columns);

}  // namespace spindle::agents
