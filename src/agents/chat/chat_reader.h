#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "agents/chat/chat_json.h"
#include "base/core/result.h"
#include "pricing/project_prices.h"
#include "tracing/calls/call_query.h"
#include "wire/spelling.h"

namespace spindle::tracing {
class CallStore;
}
namespace spindle::feedback {
class FeedbackStore;
}

namespace spindle::agents {

class SpanStore;

/// Dependencies of the functions below. All must outlive the calls.
struct ChatPorts {
  const SpanStore& spans;
  tracing::CallStore& calls;
  const feedback::FeedbackStore& feedback;
  std::function<Result<std::shared_ptr<const pricing::ProjectPrices>>(std::string_view project_id)>
      prices;
};

/// Options of the chat view. The spelling is that of the feedback in it.
struct ChatReadOptions {
  bool feedback = false;
  wire::Spelling spelling = wire::Spelling::kNeutral;
};

/// A page of a conversation. Pages start at the newest turn.
struct ConversationPage {
  std::string conversation_id;
  std::int64_t limit = 50;
  std::int64_t offset = 0;
};

// Return chat views with internal references:

/// Returns the chat view of a trace. A trace without spans is read from its calls.
Result<ChatDocument> readTraceChat(const ChatPorts& ports,
                                   const tracing::ProjectScope& project,
                                   const std::string& trace_id,
                                   const ChatReadOptions& options);

/// Returns the chat views of a conversation's turns, oldest first. A conversation without spans is
/// read from the calls of the thread with that id.
Result<ConversationDocument> readConversationChat(const ChatPorts& ports,
                                                  const tracing::ProjectScope& project,
                                                  const ConversationPage& page,
                                                  const ChatReadOptions& options);

}  // namespace spindle::agents
