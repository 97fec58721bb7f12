#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "agents/chat/chat.h"
#include "agents/store/span.h"

namespace spindle::agents {

using Texts = std::vector<std::string>;

/// A worked example: spans and the expected conversation.
struct ChatExample {
  std::string name;
  std::vector<AgentSpan> spans;
  std::string chat;  ///< compact JSON without empty members, times as offsets
};

/// Returns the examples of tests/golden/chat_examples.json.
std::vector<ChatExample> chatExamples();

/// Parses a JSON list of spans in the format of the examples.
std::vector<AgentSpan> spansOfExample(const std::string& json);

/// Returns a conversation in the format of the examples.
std::string shortForm(const Chat& chat);

}  // namespace spindle::agents
