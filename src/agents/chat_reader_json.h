#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "agents/chat.h"
#include "base/result.h"
#include "pricing/price_choice.h"
#include "tracing/call_selection.h"
#include "wire/spelling.h"

namespace spindle::tracing {
class CallStore;
}
namespace spindle::feedback {
class FeedbackStore;
}

namespace spindle::agents {

class ColumnarSpanStore;

/// Where chats are read from. Everything must outlive the reader.
struct ChatPorts {
  const ColumnarSpanStore& spans;
  tracing::CallStore& calls;
  const feedback::FeedbackStore& feedback;
  std::function<Result<std::shared_ptr<const pricing::ProjectPrices>>(std::string_view project_id)>
      prices;
};

/// How a reader wants chats.
struct ChatWishes {
  bool feedback = false;
  wire::Spelling spelling = wire::Spelling::kNeutral;
};

/// A page of a conversation, the newest turns first.
struct ConversationPage {
  std::string conversation_id;
  std::int64_t limit = 50;
  std::int64_t offset = 0;
};

/// The view of a trace as JSON, references internal. A trace without spans is made of its calls.
Result<std::string> readTraceChat(const ChatPorts& ports,
                                  const tracing::ProjectScope& project,
                                  const std::string& trace_id,
                                  const ChatWishes& wishes);

/// The views of the turns of a conversation, oldest first. One without spans is made of the calls of
/// the thread of that name.
Result<std::string> readConversationChat(const ChatPorts& ports,
                                         const tracing::ProjectScope& project,
                                         const ConversationPage& page,
                                         const ChatWishes& wishes);

}  // namespace spindle::agents
