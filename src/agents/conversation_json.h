#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "tracing/call_selection.h"
#include "wire/spelling.h"

namespace spindle::feedback {
class FeedbackStore;
}

namespace spindle::agents {

class ColumnarSpanStore;

struct ConversationSpansWish {
  std::vector<std::string> conversation_ids;
  std::optional<Timestamp> started_after = {};
  std::optional<Timestamp> started_before = {};
  wire::Spelling spelling = wire::Spelling::kNeutral;
};

/// The steps of conversations and what people and monitors said of them, as JSON: one entry for
/// each id, in order. What cannot be looked up is an empty list.
std::string conversationSpansJson(const ColumnarSpanStore& spans,
                                  const feedback::FeedbackStore& feedback,
                                  const tracing::ProjectScope& project,
                                  const ConversationSpansWish& wish);

}  // namespace spindle::agents
