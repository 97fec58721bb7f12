#pragma once

#include <optional>
#include <string>
#include <vector>

#include "agents/store/conversation.h"
#include "base/core/time.h"
#include "json/writer.h"
#include "schema/type.h"
#include "tracing/calls/call_query.h"
#include "wire/spelling.h"

namespace spindle::feedback {
class FeedbackStore;
}

namespace spindle::agents {

class SpanStore;

struct ConversationSpansQuery {
  std::vector<std::string> conversation_ids;
  std::optional<Timestamp> started_after = {};
  std::optional<Timestamp> started_before = {};
  wire::Spelling spelling = wire::Spelling::kNeutral;
};

// The response. The values of ratings are JSON as it is stored.
struct ConversationRating {
  std::string name;
  json::Text value;
  json::Text reason;
  json::Text confidence;
};
struct ConversationFeedback {
  std::optional<std::string> trace_id;
  std::string feedback_type;
  std::vector<std::string> tags;
  std::vector<ConversationRating> ratings;
};
struct ConversationSpans {
  std::string conversation_id;
  std::vector<ConversationSpan> spans;
  std::vector<ConversationFeedback> spans_feedback;
};
struct ConversationsSpans {
  std::vector<ConversationSpans> conversations;
};
schema::Codec<ConversationsSpans> conversationsSpansCodec();

/// Returns the spans of conversations and the feedback of people and monitors: one entry per id, in
/// order. Data that cannot be read is an empty list.
ConversationsSpans readConversationsSpans(const SpanStore& spans,
                                          const feedback::FeedbackStore& feedback,
                                          const tracing::ProjectScope& project,
                                          const ConversationSpansQuery& query);

}  // namespace spindle::agents
