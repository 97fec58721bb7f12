#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "agents/span_question.h"
#include "agents/trace_conversation_json.h"
#include "base/result.h"

namespace spindle::feedback {
class FeedbackStore;
}

namespace spindle::agents {

class ColumnarSpanStore;

/// Which traces are wanted, and what of them besides what was said.
struct TraceFeedWish {
  SpanSelection selection = {};  ///< traces with such a span
  std::int64_t limit = 0;        ///< of traces
  bool feedback = false;
  std::string attribute = {};  ///< key of a custom attribute that is a number; empty for none
};

struct FedTrace {
  std::string trace_id;
  std::string conversation_id;
  std::optional<TraceConversation> conversation;  ///< none when no model has answered
  /// Lists as JSON: what was said of the trace, of its spans (in their order), of its conversation.
  std::vector<std::string> feedback;
  std::optional<double> number;
};

/// Whole traces one after the other, the oldest first, a few in memory at a time. Belongs to one
/// thread; blocks. The stores must outlive it.
class TraceFeed {
 public:
  /// @return the errors of the query compiler.
  static Result<TraceFeed> open(const ColumnarSpanStore& spans,
                                const feedback::FeedbackStore& feedback,
                                std::string project_id,
                                TraceFeedWish wish);

  /// The next ones; none at the end.
  Result<std::vector<FedTrace>> next();

 private:
  TraceFeed(const ColumnarSpanStore& spans,
            const feedback::FeedbackStore& feedback,
            std::string project_id,
            TraceFeedWish wish,
            std::vector<std::string> trace_ids);

  using SpansByTrace = std::unordered_map<std::string, std::vector<AgentSpan>>;

  Result<void> addFeedback(SpansByTrace& by_trace, std::vector<FedTrace>& traces);

  const ColumnarSpanStore* spans_;
  const feedback::FeedbackStore* feedback_;
  std::string project_id_;
  TraceFeedWish wish_;
  std::vector<std::string> trace_ids_;
  std::size_t next_ = 0;
};

}  // namespace spindle::agents
