#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/core/result.h"
#include "query/expression.h"
#include "tracing/calls/call_query.h"
#include "training/data/chat_row.h"

namespace spindle::training {

/// Selects agent traces: those with a span that matches the query, oldest first.
struct AgentTraceExportQuery {
  std::optional<query::Query> query = {};  ///< in the query language of spans
  std::int64_t limit = 0;
  bool feedback = false;       ///< read feedback as well
  std::string attribute = {};  ///< span attribute that becomes AgentTrace::number
};

/// An agent trace as one conversation. References have their internal form.
struct AgentTrace {
  std::string trace_id;
  std::string conversation_id;
  std::optional<ChatRow> row;         ///< empty if the trace contains no model answer
  std::vector<std::string> feedback;  ///< JSON arrays; the first that contains a reward wins
  std::optional<double> number;       ///< value of AgentTraceExportQuery::attribute
};

/// Reads agent traces in batches. Used by one thread.
class AgentTraceReader {
 public:
  virtual ~AgentTraceReader() = default;
  /// Returns the next batch; an empty one at the end.
  virtual Result<std::vector<AgentTrace>> next() = 0;
};

/// Opens a reader of agent traces. Implemented by app, because traces belong to another area.
/// Blocks.
/// @return errors of the query compiler
using AgentTraces = std::function<Result<std::unique_ptr<AgentTraceReader>>(
    const tracing::ProjectScope& project, const AgentTraceExportQuery& trace_query)>;

}  // namespace spindle::training
