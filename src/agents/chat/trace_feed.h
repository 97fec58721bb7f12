#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "agents/chat/trace_conversation.h"
#include "agents/store/span_query.h"
#include "base/core/result.h"

namespace spindle::feedback {
class FeedbackStore;
}

namespace spindle::agents {

class SpanStore;

/// The traces to read, and the data to read in addition to the conversation.
struct TraceFeedOptions {
  SpanFilter filter = {};  ///< traces with a matching span
  std::int64_t limit = 0;  ///< maximum number of traces
  bool feedback = false;
  std::string attribute = {};  ///< key of a numeric custom attribute; empty for none
};

struct TraceFeedItem {
  std::string trace_id;
  std::string conversation_id;
  std::optional<TraceConversation> conversation;  ///< nothing if no model has answered
  /// JSON lists of the feedback on the trace, on its spans (in their order), on its conversation.
  std::vector<std::string> feedback;
  std::optional<double> number;
};

/// Reads whole traces in batches, oldest first, with few in memory at a time. Use it from one
/// thread; it blocks. The stores must outlive it.
class TraceFeed {
 public:
  /// Selects the traces. @return the errors of the query compiler.
  static Result<TraceFeed> open(const SpanStore& spans,
                                const feedback::FeedbackStore& feedback,
                                std::string project_id,
                                TraceFeedOptions options);

  /// Returns the next batch; an empty one at the end.
  Result<std::vector<TraceFeedItem>> next();

 private:
  TraceFeed(const SpanStore& spans,
            const feedback::FeedbackStore& feedback,
            std::string project_id,
            TraceFeedOptions options,
            std::vector<std::string> trace_ids);

  using SpansByTrace = std::unordered_map<std::string, std::vector<AgentSpan>>;

  Result<void> addFeedback(SpansByTrace& by_trace, std::vector<TraceFeedItem>& traces);

  const SpanStore* spans_;
  const feedback::FeedbackStore* feedback_;
  std::string project_id_;
  TraceFeedOptions options_;
  std::vector<std::string> trace_ids_;
  std::size_t next_ = 0;
};

}  // namespace spindle::agents
