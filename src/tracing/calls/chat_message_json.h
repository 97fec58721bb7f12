#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "json/document.h"

namespace spindle::tracing {

/// A message in the format of chat completions, as JSON.
struct ChatMessageJson {
  std::string role;
  std::string json;
};

/// Converts a message as any client traces it, `{"role", "content" | "parts", …}`. A message that
/// chat completions accept stays unchanged. Of parts, strings become the content, tool calls become
/// `tool_calls`, and tool results become separate messages. Empty if the value is not a message.
std::vector<ChatMessageJson> chatMessagesOf(const json::Node& message);

/// Does the same for a role and a content that is a string or a JSON list of parts.
std::vector<ChatMessageJson> chatMessagesOf(std::string_view role, const std::string& content);

/// Returns `{"role": …, "content": …}`.
std::string textMessageJson(std::string_view role, std::string_view content);

/// Returns `{"role": "tool", …}` with the result of a tool. Omits an unknown id.
std::string toolMessageJson(std::string_view id, std::string_view content);

/// Returns an item of `tool_calls`. `arguments` is JSON; an empty string means an empty object.
std::string toolCallJson(std::string_view id, std::string_view name, std::string_view arguments);

/// Joins the items to a JSON list.
std::string listJson(const std::vector<std::string>& items);

/// Converts tool definitions to the format of chat completions: wraps bare functions. Empty unless
/// the input is a list with at least one tool.
std::optional<std::string> chatToolsOf(const std::string& definitions);

}  // namespace spindle::tracing
