#pragma once

#include <optional>
#include <string>
#include <vector>

#include "agents/span.h"

namespace spindle::agents {

/// A trace as one conversation in the form of chat completions. All members but ids are JSON.
struct TraceConversation {
  std::string messages;              ///< a list: all before the answer
  std::string answer;                ///< the last message of the assistant
  std::optional<std::string> tools;  ///< a list
};

/// What the model that answered last was given, and what it said. Where spans do not repeat the
/// history, or leave the calls of tools out of it, the conversation is put together from all spans,
/// as the chat view shows it. `spans` are those of one trace, oldest first. Empty when no model
/// has answered anybody.
std::optional<TraceConversation> conversationOf(const std::vector<AgentSpan>& spans);

}  // namespace spindle::agents
