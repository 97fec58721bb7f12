#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "agents/store/span.h"
#include "agents/store/span_sink.h"
#include "columnar/store/store.h"

namespace spindle::agents {

class EndedTurnTracker;

/// A snapshot of the spans of a project. Short-lived; use it from one thread at a time.
struct SpanRows {
  columnar::Snapshot snapshot;
  std::vector<columnar::Source> sources;  ///< one per table
  SqlText from;                           ///< all tables as one FROM item, without an alias
  columnar::FamilyId family = 0;
  std::string project_id;
  columnar::FamilyId resources = 0;  ///< the family of OpenTelemetry resources
};

/// Stores spans in the embedded columnar store. Thread-safe. Calls block on disk, so only worker
/// threads may call it.
class ColumnarSpanStore final : public SpanSink {
 public:
  /// `family` is the id of spanFamily() in the store, `resources` that of
  /// tracing::otelResourceFamily(). The store and `turns` must outlive this object. Without
  /// `turns`, ended turns are not numbered.
  ColumnarSpanStore(columnar::Store& store,
                    columnar::FamilyId family,
                    columnar::FamilyId resources,
                    EndedTurnTracker* turns = nullptr)
      : store_(store), family_(family), resources_(resources), turns_(turns) {}

  Result<void> write(std::string_view project_id, std::vector<AgentSpan> spans) override;

  /// Deletes spans whose retention has expired. @return their number.
  Result<std::int64_t> removeExpired(Timestamp now);

  /// Returns the projects that may have spans.
  Result<std::vector<std::string>> projects() const;

  /// Returns ended spans without a parent whose `turn_number` is greater than `after`, in the order
  /// of that number. Reads only the columns that an event contains.
  Result<std::vector<AgentSpan>> endedTurns(std::string_view project_id,
                                            std::int64_t after,
                                            int limit) const;

  /// Returns the spans of one trace, oldest first, with the columns of the chat view; none for an
  /// unknown trace.
  /// @return kUnavailable, kTimeout.
  Result<std::vector<AgentSpan>> readTrace(std::string_view project_id,
                                           std::string_view trace_id) const;

  /// Returns the spans of several traces in the same way.
  Result<std::vector<AgentSpan>> readTraces(std::string_view project_id,
                                            const std::vector<std::string>& trace_ids) const;

  /// Returns a snapshot for the SQL statements of the other files of this area. @return
  /// kUnavailable.
  Result<SpanRows> rows(std::string_view project_id) const;

 private:
  columnar::Store& store_;
  const columnar::FamilyId family_;
  const columnar::FamilyId resources_;
  EndedTurnTracker* const turns_;
};

}  // namespace spindle::agents
