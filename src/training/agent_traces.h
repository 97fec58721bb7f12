#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "query/expression.h"
#include "tracing/call_selection.h"
#include "training/chat_row_json.h"

namespace spindle::training {

/// Which traces of agents are wanted: those with a span that matches, the oldest first.
struct AgentTraceWish {
  std::optional<query::Query> query = {};  ///< in the query language of spans
  std::int64_t limit = 0;
  bool feedback = false;
  std::string attribute = {};  ///< of spans, for AgentTrace::number
};

/// A trace of an agent as one conversation. References are internal.
struct AgentTrace {
  std::string trace_id;
  std::string conversation_id;
  std::optional<ChatRow> row;         ///< none when no model has answered
  std::vector<std::string> feedback;  ///< lists as JSON, in the order in which they count
  std::optional<double> number;
};

/// Traces, some at a time. One thread.
class AgentTraceReader {
 public:
  virtual ~AgentTraceReader() = default;
  /// The next ones; none at the end.
  virtual Result<std::vector<AgentTrace>> next() = 0;
};

/// What agents did is another area's; app fills this in. Blocks.
/// @return the errors of the query compiler.
using AgentTraces = std::function<Result<std::unique_ptr<AgentTraceReader>>(
    const tracing::ProjectScope& project, const AgentTraceWish& wish)>;

}  // namespace spindle::training
