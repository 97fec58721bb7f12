#pragma once

#include <string>
#include <string_view>
#include <unordered_map>

#include "agents/chat.h"
#include "json/writer.h"
#include "wire/spelling.h"

namespace spindle::agents {

/// What was said of a turn and of its spans, as JSON lists.
struct ChatFeedback {
  std::string turn = "[]";
  std::unordered_map<std::string, std::string> by_span = {};
};

/// Writes the view of one trace. References stay internal. `feedback` is null when it was not asked
/// for.
void writeChat(std::string_view trace_id,
               const Chat& chat,
               const ChatFeedback* feedback,
               wire::Spelling spelling,
               json::Writer& out);

}  // namespace spindle::agents
