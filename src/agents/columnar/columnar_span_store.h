#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "agents/sql/sql_span_store.h"
#include "columnar/store/store.h"

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

/// Stores spans in the embedded columnar store and computes queries inside it, by SQL.
class ColumnarSpanStore final : public SqlSpanStore {
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
  Result<std::vector<EndedTurn>> endedTurns(std::string_view project_id,
                                            std::int64_t after,
                                            int limit) const override;
  Result<std::vector<AgentSpan>> readTraces(
      std::string_view project_id, const std::vector<std::string>& trace_ids) const override;
  Result<std::vector<OutlinedSpan>> readOutline(std::string_view project_id,
                                                const std::string& trace_id,
                                                std::int64_t limit) const override;
  Result<std::unique_ptr<SpanRows>> rows(std::string_view project_id) const override;

 private:
  columnar::Store& store_;
  const SpanFamilies families_;
  EndedTurnTracker* const turns_;
  live::ChangeLog* const changes_;
};

}  // namespace spindle::agents
