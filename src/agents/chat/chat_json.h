#pragma once

#include <string>
#include <string_view>
#include <unordered_map>

#include "agents/chat/chat.h"
#include "json/writer.h"
#include "wire/spelling.h"

namespace spindle::agents {

/// Feedback on a turn and on its spans, as JSON lists.
struct ChatFeedback {
  std::string turn = "[]";
  std::unordered_map<std::string, std::string> by_span = {};
};

/// Writes the chat view of one trace. References stay internal. `feedback` is null if the client
/// did not request it.
void writeChat(std::string_view trace_id,
               const Chat& chat,
               const ChatFeedback* feedback,
               wire::Spelling spelling,
               json::Writer& out);

}  // namespace spindle::agents
