#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/core/result.h"
#include "base/core/time.h"
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

/// Returns the spans of conversations and the feedback of people and monitors, as JSON: one entry
/// per id, in order. Data that cannot be read is an empty list.
std::string conversationSpansJson(const SpanStore& spans,
                                  const feedback::FeedbackStore& feedback,
                                  const tracing::ProjectScope& project,
                                  const ConversationSpansQuery& query);

}  // namespace spindle::agents
