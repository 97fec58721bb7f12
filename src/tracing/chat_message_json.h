#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "json/document.h"

namespace spindle::tracing {

/// A message as chat completions write it, as JSON.
struct ChatMessageJson {
  std::string role;
  std::string json;
};

/// A message as any client traces it, `{"role", "content" | "parts", …}`: one that chat completions
/// would take is left as it is. Of parts the texts become the content, calls of tools `tool_calls`,
/// and results of tools messages of their own. Empty for what is no message.
std::vector<ChatMessageJson> chatMessagesOf(const json::Node& message);

/// The same of a role and a content that is a text or the JSON text of a list of parts.
std::vector<ChatMessageJson> chatMessagesOf(std::string_view role, const std::string& content);

/// `{"role": …, "content": …}`
std::string textMessageJson(std::string_view role, std::string_view content);

/// `{"role": "tool", …}`: what a tool said. An unknown id is left out.
std::string toolMessageJson(std::string_view id, std::string_view content);

/// An item of `tool_calls`. `arguments` is JSON text; nothing is an empty object.
std::string toolCallJson(std::string_view id, std::string_view name, std::string_view arguments);

/// The items of a list with commas between them, in brackets.
std::string listJson(const std::vector<std::string>& items);

/// Definitions of tools as chat completions have them: bare functions get their wrapper. Empty for
/// anything but a list with a tool.
std::optional<std::string> chatToolsOf(const std::string& definitions);

}  // namespace spindle::tracing
