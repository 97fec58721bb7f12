#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/core/time.h"

namespace spindle::agents {

struct UserMessage {
  std::string text;
  std::vector<std::string> content_refs = {};
};

/// The end of a step of the assistant.
struct StepOutcome {
  std::int64_t duration_ms = 0;
  std::string status = {};
  std::vector<std::string> content_refs = {};
};

struct AssistantMessage : StepOutcome {
  std::string text = {};
  std::string model = {};
  std::string reasoning_content = {};
  std::int64_t reasoning_tokens = 0;
  std::int64_t input_tokens = 0;
  std::int64_t output_tokens = 0;
  std::optional<double> input_cost_usd = {};  ///< empty if no price is known
  std::optional<double> output_cost_usd = {};
  std::optional<double> total_cost_usd = {};
};

struct ToolCall : StepOutcome {
  std::string tool_name = {};
  std::optional<std::string> tool_arguments = {};
  std::optional<std::string> tool_result = {};
};

struct AgentStart {
  std::string model;
  std::optional<std::string> system_instructions = {};
  std::optional<std::string> tool_definitions = {};
  std::string status = {};
};

struct ContextCompacted {
  std::string summary;
  std::int64_t items_before = 0;
  std::int64_t items_after = 0;
};

using ChatPayload =
    std::variant<UserMessage, AssistantMessage, ToolCall, AgentStart, ContextCompacted>;

/// The agent, the status and the start of a message or of a whole trace.
struct ChatAgent {
  std::optional<std::string> agent_name = {};
  std::optional<std::string> agent_version = {};
  std::optional<std::string> status_code = {};
  std::optional<Timestamp> started_at = {};
};

/// One message of the chat view.
struct ChatMessage : ChatAgent {
  std::optional<std::string> span_id = {};  ///< empty for user messages
  ChatPayload payload = {};
};

/// Returns the name of the payload: `user_message`, `tool_call`, ….
std::string_view typeOf(const ChatMessage& message);

/// The tokens and the cost of a trace.
struct ChatTotals {
  std::optional<double> total_cost_usd = {};
  std::int64_t input_tokens = 0;
  std::int64_t output_tokens = 0;
  std::int64_t reasoning_tokens = 0;
  std::int64_t cache_creation_input_tokens = 0;
  std::int64_t cache_read_input_tokens = 0;
};

/// A trace as a conversation. References are internal.
struct Chat : ChatTotals {
  /// The data of the root span. All of it is set, except for times that are unknown.
  struct Root : ChatAgent {
    std::optional<std::string> name;
    std::optional<std::string> provider;
    std::optional<std::string> svc_user_id;
    std::optional<Timestamp> ended_at;
    std::optional<std::int64_t> duration_ms;
  };

  std::optional<Root> root = {};  ///< empty for a trace without spans
  std::vector<ChatMessage> messages = {};
};

}  // namespace spindle::agents
