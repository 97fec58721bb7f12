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

/// Visits a payload and returns its text; of a tool call, the name of the tool.
struct PayloadText {
  std::string operator()(const UserMessage& m) const { return m.text; }
  std::string operator()(const AssistantMessage& m) const {
    return m.text.empty() ? "~" + m.reasoning_content : m.text;
  }
  std::string operator()(const ToolCall& m) const { return m.tool_name; }
  std::string operator()(const AgentStart& m) const { return m.system_instructions.value_or("-"); }
  std::string operator()(const ContextCompacted& m) const { return m.summary; }
};

/// Returns a conversation in the format of the examples.
std::string shortForm(const Chat& chat);

}  // namespace spindle::agents
