#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "agents/chat.h"
#include "agents/span.h"

namespace spindle::agents {

/// A worked example: spans, and the conversation that they make.
struct ChatExample {
  std::string name;
  std::vector<AgentSpan> spans;
  std::string chat;  ///< compact JSON without what is empty, times as offsets
};

/// Those of tests/golden/chat_examples.json.
std::vector<ChatExample> chatExamples();

/// Spans as the examples write them, a JSON list.
std::vector<AgentSpan> spansOfExample(const std::string& json);

/// A conversation as the examples write it.
std::string shortForm(const Chat& chat);

}  // namespace spindle::agents
