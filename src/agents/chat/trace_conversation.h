#pragma once

#include <optional>
#include <string>
#include <vector>

#include "agents/store/span.h"

namespace spindle::agents {

/// A trace as one conversation in the format of chat completions. All members are JSON.
struct TraceConversation {
  std::string messages;              ///< a list of all messages before the answer
  std::string answer;                ///< the last message of the assistant
  std::optional<std::string> tools;  ///< a list
};

/// Returns the input and the answer of the last model request. If spans do not repeat the history,
/// or omit tool calls from it, the conversation is built from all spans in the order of the chat
/// view. `spans` are those of one trace, oldest first. Returns nothing if the trace contains no
/// answer.
std::optional<TraceConversation> conversationOf(const std::vector<AgentSpan>& spans);

}  // namespace spindle::agents
