#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "agents/sql/span_rows.h"
#include "agents/store/span_store.h"

namespace spindle::agents {

/// The queries of a span store whose engine understands SQL. A store of an engine implements
/// rows(), writes and the reads of whole traces.
class SqlSpanStore : public SpanStore {
 public:
  Result<SpanList> listSpans(std::string_view project_id,
                             const SpanQuery& span_query,
                             const pricing::ProjectPrices& prices) const final;
  Result<SpanGroups> groupSpans(std::string_view project_id,
                                const SpanQuery& span_query,
                                const pricing::ProjectPrices& prices) const final;
  Result<SpanStats> readSpanStats(std::string_view project_id,
                                  const SpanStatsQuery& stats_query,
                                  const pricing::ProjectPrices& prices) const final;
  Result<AgentRollups> readAgents(std::string_view project_id,
                                  const AgentQuery& agent_query,
                                  const pricing::ProjectPrices& prices) const final;
  Result<std::vector<CustomAttribute>> readCustomAttributes(std::string_view project_id,
                                                            const SpanFilter& filter,
                                                            std::int64_t limit,
                                                            std::int64_t offset) const final;
  Result<std::vector<FoundMessage>> searchMessages(
      std::string_view project_id, const MessageSearchQuery& search_query) const final;
  Result<Turns> readTurns(std::string_view project_id,
                          const std::string& conversation_id,
                          std::int64_t limit,
                          std::int64_t offset) const final;
  Result<std::vector<ConversationSpan>> readConversationSpans(
      std::string_view project_id,
      const std::vector<std::string>& conversation_ids,
      std::optional<Timestamp> after,
      std::optional<Timestamp> before) const final;
  Result<std::vector<std::string>> readMatchedTraces(std::string_view project_id,
                                                     const SpanFilter& filter,
                                                     std::int64_t limit) const final;
  Result<std::unordered_map<std::string, double>> readTraceNumbers(
      std::string_view project_id,
      const std::vector<std::string>& trace_ids,
      const std::string& key) const final;

  /// Returns the spans of a project for a few statements. @return kUnavailable.
  virtual Result<std::unique_ptr<SpanRows>> rows(std::string_view project_id) const = 0;
};

}  // namespace spindle::agents
