#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "agents/store/agent_rollup.h"
#include "agents/store/conversation.h"
#include "agents/store/ended_turn.h"
#include "agents/store/message_search.h"
#include "agents/store/span.h"
#include "agents/store/span_outline.h"
#include "agents/store/span_query.h"
#include "agents/store/span_results.h"
#include "agents/store/span_sink.h"
#include "agents/store/span_stats.h"
#include "base/core/result.h"
#include "base/core/time.h"

namespace spindle::pricing {
class ProjectPrices;
}

namespace spindle::agents {

/// Stores agent spans and computes queries of them. A read sees all spans whose write has returned.
/// Thread-safe. Calls block, so only worker threads may call it. Reads may return kUnavailable and
/// kTimeout, and kInvalidArgument for an invalid query. Costs are computed with `prices`.
class SpanStore : public SpanSink {
 public:
  /// Deletes spans whose retention has expired. @return their number.
  virtual Result<std::int64_t> removeExpired(Timestamp now) = 0;

  /// Returns the projects that may have spans.
  virtual Result<std::vector<std::string>> projects() const = 0;

  /// Returns ended turns of a project whose number is greater than `after`, in the order of their
  /// numbers. A turn keeps its number when it is sent again.
  virtual Result<std::vector<EndedTurn>> endedTurns(std::string_view project_id,
                                                    std::int64_t after,
                                                    int limit) const = 0;
  /// Returns the log of ended turns, if several servers write to the store. Null if only this
  /// process does; then numbers become visible in their order.
  virtual const SharedTurnLog* sharedTurns() const { return nullptr; }

  /// Returns the spans of one trace, oldest first, with the members of the chat view; none for an
  /// unknown trace.
  Result<std::vector<AgentSpan>> readTrace(std::string_view project_id,
                                           std::string_view trace_id) const {
    return readTraces(project_id, {std::string(trace_id)});
  }
  /// Returns the spans of several traces in the same way.
  virtual Result<std::vector<AgentSpan>> readTraces(
      std::string_view project_id, const std::vector<std::string>& trace_ids) const = 0;

  /// Returns the spans of one trace, oldest first; at most `limit`.
  virtual Result<std::vector<OutlinedSpan>> readOutline(std::string_view project_id,
                                                        const std::string& trace_id,
                                                        std::int64_t limit) const = 0;

  /// Returns a page of spans. The query has no group_by.
  virtual Result<SpanList> listSpans(std::string_view project_id,
                                     const SpanQuery& span_query,
                                     const pricing::ProjectPrices& prices) const = 0;

  /// Returns a page of groups of spans.
  virtual Result<SpanGroups> groupSpans(std::string_view project_id,
                                        const SpanQuery& span_query,
                                        const pricing::ProjectPrices& prices) const = 0;

  /// Returns statistics by buckets of time or of a number.
  virtual Result<SpanStats> readSpanStats(std::string_view project_id,
                                          const SpanStatsQuery& stats_query,
                                          const pricing::ProjectPrices& prices) const = 0;

  /// Returns the totals of agents. Counts include only spans that name the agent; costs also
  /// include spans that inherit it from their trace.
  virtual Result<AgentRollups> readAgents(std::string_view project_id,
                                          const AgentQuery& agent_query,
                                          const pricing::ProjectPrices& prices) const = 0;

  /// Returns custom attributes, most frequent first; `limit` + 1 of them if there are more than
  /// `limit`.
  virtual Result<std::vector<CustomAttribute>> readCustomAttributes(std::string_view project_id,
                                                                    const SpanFilter& filter,
                                                                    std::int64_t limit,
                                                                    std::int64_t offset) const = 0;

  /// Returns matching messages, newest first. Searches input and output messages, system
  /// instructions, and arguments and results of tools.
  virtual Result<std::vector<FoundMessage>> searchMessages(
      std::string_view project_id, const MessageSearchQuery& search_query) const = 0;

  /// Returns a page of the turns of a conversation. Pages start at the newest turn.
  virtual Result<Turns> readTurns(std::string_view project_id,
                                  const std::string& conversation_id,
                                  std::int64_t limit,
                                  std::int64_t offset) const = 0;

  /// Returns the newest spans of each conversation, at most kMaxConversationSpans, oldest first.
  virtual Result<std::vector<ConversationSpan>> readConversationSpans(
      std::string_view project_id,
      const std::vector<std::string>& conversation_ids,
      std::optional<Timestamp> after,
      std::optional<Timestamp> before) const = 0;

  /// Returns the traces that contain a matching span, sorted by the start of the first such span.
  virtual Result<std::vector<std::string>> readMatchedTraces(std::string_view project_id,
                                                             const SpanFilter& filter,
                                                             std::int64_t limit) const = 0;

  /// Returns the value of a custom attribute per trace if it is a number, true (1) or false (0). If
  /// several spans of a trace have it, the span that started last counts.
  virtual Result<std::unordered_map<std::string, double>> readTraceNumbers(
      std::string_view project_id,
      const std::vector<std::string>& trace_ids,
      const std::string& key) const = 0;
};

}  // namespace spindle::agents
