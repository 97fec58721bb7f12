#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace spindle::agents {

/// A page of the turns of a conversation. Each turn is a trace with a span of the conversation.
struct Turns {
  std::vector<std::string> trace_ids;  ///< oldest first
  std::int64_t total = 0;
};

/// A span of a conversation, without its messages.
struct ConversationSpan {
  std::string conversation_id;
  std::string operation_name;
  std::string trace_id;
  std::string span_id;
  std::string status;
  std::int64_t duration_ms = 0;
};

inline constexpr std::int64_t kMaxConversationSpans = 200;

}  // namespace spindle::agents
