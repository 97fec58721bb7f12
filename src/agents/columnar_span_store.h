#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "agents/span.h"
#include "agents/span_sink.h"
#include "columnar/store.h"

namespace spindle::agents {

class EndedTurns;

/// One unchanging view of the spans of a project. Used by one thread at a time; short-lived.
struct SpanRows {
  columnar::Snapshot snapshot;
  std::vector<columnar::Source> sources;  ///< table by table
  SqlText from;                           ///< the same as one, without a name
  columnar::FamilyId family = 0;
  std::string project_id;
  columnar::FamilyId resources = 0;  ///< where the resources of dumps are
};

/// Spans in the embedded columnar store. Thread-safe; calls block on disk: worker threads only.
class ColumnarSpanStore final : public SpanSink {
 public:
  /// `family` is where spanFamily() stands in the store, `resources` where
  /// tracing::otelResourceFamily() does; the store and `turns` must outlive this. Without `turns`
  /// nobody wants to know which have ended.
  ColumnarSpanStore(columnar::Store& store,
                    columnar::FamilyId family,
                    columnar::FamilyId resources,
                    EndedTurns* turns = nullptr)
      : store_(store), family_(family), resources_(resources), turns_(turns) {}

  Result<void> write(std::string_view project_id, std::vector<AgentSpan> spans) override;

  /// Forgets spans whose time has run out. @return how many.
  Result<std::int64_t> removeExpired(Timestamp now);

  /// Those that may have spans.
  Result<std::vector<std::string>> projects() const;

  /// Spans without a parent that have ended, with their `turn_number`, from behind that number on
  /// and in its order: only what an event tells of them is read.
  Result<std::vector<AgentSpan>> endedTurns(std::string_view project_id,
                                            std::int64_t after,
                                            int limit) const;

  /// What the chat view needs of the spans of one trace, oldest first; none for an unknown one.
  /// @return kUnavailable, kTimeout.
  Result<std::vector<AgentSpan>> readTrace(std::string_view project_id,
                                           std::string_view trace_id) const;

  /// The same of several traces together.
  Result<std::vector<AgentSpan>> readTraces(std::string_view project_id,
                                            const std::vector<std::string>& trace_ids) const;

  /// For the statements of the files beside this one. @return kUnavailable.
  Result<SpanRows> rows(std::string_view project_id) const;

 private:
  columnar::Store& store_;
  const columnar::FamilyId family_;
  const columnar::FamilyId resources_;
  EndedTurns* const turns_;
};

}  // namespace spindle::agents
