#pragma once

#include <string_view>
#include <vector>

#include "agents/span.h"
#include "agents/span_sink.h"
#include "columnar/store.h"

namespace spindle::agents {

/// Spans in the embedded columnar store. Thread-safe; calls block on disk: worker threads only.
class ColumnarSpanStore final : public SpanSink {
 public:
  /// `family` is where spanFamily() stands in the store, which must outlive this.
  ColumnarSpanStore(columnar::Store& store, columnar::FamilyId family)
      : store_(store), family_(family) {}

  Result<void> write(std::string_view project_id, std::vector<AgentSpan> spans) override;

  /// What the chat view needs of the spans of one trace, oldest first; none for an unknown one.
  /// @return kUnavailable, kTimeout.
  Result<std::vector<AgentSpan>> readTrace(std::string_view project_id,
                                           std::string_view trace_id) const;

 private:
  columnar::Store& store_;
  const columnar::FamilyId family_;
};

}  // namespace spindle::agents
