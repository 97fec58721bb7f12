#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "agents/store/span_store.h"
#include "columnar/store/store.h"
#include "query/sql.h"

namespace spindle::live {
class ChangeLog;
}

namespace spindle::agents {

class EndedTurnTracker;

/// The families of the columnar store that span queries read.
struct SpanFamilies {
  columnar::FamilyId spans;      ///< spanFamily()
  columnar::FamilyId resources;  ///< tracing::otelResourceFamily()
  std::optional<columnar::FamilyId> feedback =
      {};  ///< feedback::feedbackFamily(); required by SignalFilters
};

/// A snapshot of the spans of a project. Short-lived; use it from one thread at a time.
struct SpanRows {
  columnar::Snapshot snapshot;
  std::vector<columnar::Source> sources;  ///< one per table
  SqlText from;                           ///< all tables as one FROM item, without an alias
  SpanFamilies families;
  std::string project_id;

  /// Runs one statement on the snapshot.
  Result<columnar::Cursor> run(const query::Sql& sql) {
    return snapshot.query(sql.text, sql.params);
  }
};

/// Stores spans in the embedded columnar store and computes queries inside it, by SQL.
class ColumnarSpanStore final : public SpanStore {
 public:
  /// The store, `turns` and `changes` must outlive this object. Without `turns`, ended turns are
  /// not numbered. Without `changes`, nobody follows changes.
  ColumnarSpanStore(columnar::Store& store,
                    const SpanFamilies& families,
                    EndedTurnTracker* turns = nullptr,
                    live::ChangeLog* changes = nullptr)
      : store_(store), families_(families), turns_(turns), changes_(changes) {}

  Result<void> write(std::string_view project_id, std::vector<AgentSpan> spans) override;
  Result<std::int64_t> removeExpired(Timestamp now) override;
  Result<std::vector<std::string>> projects() const override;
  Result<std::vector<AgentSpan>> endedTurns(std::string_view project_id,
                                            std::int64_t after,
                                            int limit) const override;
  Result<std::vector<AgentSpan>> readTraces(
      std::string_view project_id, const std::vector<std::string>& trace_ids) const override;
  Result<std::vector<OutlinedSpan>> readOutline(std::string_view project_id,
                                                const std::string& trace_id,
                                                std::int64_t limit) const override;
  Result<SpanList> listSpans(std::string_view project_id,
                             const SpanQuery& span_query,
                             const pricing::ProjectPrices& prices) const override;
  Result<SpanGroups> groupSpans(std::string_view project_id,
                                const SpanQuery& span_query,
                                const pricing::ProjectPrices& prices) const override;
  Result<SpanStats> readSpanStats(std::string_view project_id,
                                  const SpanStatsQuery& stats_query,
                                  const pricing::ProjectPrices& prices) const override;
  Result<AgentRollups> readAgents(std::string_view project_id,
                                  const AgentQuery& agent_query,
                                  const pricing::ProjectPrices& prices) const override;
  Result<std::vector<CustomAttribute>> readCustomAttributes(std::string_view project_id,
                                                            const SpanFilter& filter,
                                                            std::int64_t limit,
                                                            std::int64_t offset) const override;
  Result<std::vector<FoundMessage>> searchMessages(
      std::string_view project_id, const MessageSearchQuery& search_query) const override;
  Result<Turns> readTurns(std::string_view project_id,
                          const std::string& conversation_id,
                          std::int64_t limit,
                          std::int64_t offset) const override;
  Result<std::vector<ConversationSpan>> readConversationSpans(
      std::string_view project_id,
      const std::vector<std::string>& conversation_ids,
      std::optional<Timestamp> after,
      std::optional<Timestamp> before) const override;
  Result<std::vector<std::string>> readMatchedTraces(std::string_view project_id,
                                                     const SpanFilter& filter,
                                                     std::int64_t limit) const override;
  Result<std::unordered_map<std::string, double>> readTraceNumbers(
      std::string_view project_id,
      const std::vector<std::string>& trace_ids,
      const std::string& key) const override;

  /// Returns a snapshot for an SQL statement. @return kUnavailable.
  Result<SpanRows> rows(std::string_view project_id) const;

 private:
  columnar::Store& store_;
  const SpanFamilies families_;
  EndedTurnTracker* const turns_;
  live::ChangeLog* const changes_;
};

}  // namespace spindle::agents
