#pragma once

#include <optional>
#include <string>
#include <vector>

#include "agents/store/span.h"

namespace spindle::agents {

/// A tool call that a model requested.
struct RequestedTool {
  std::string id;
  std::string name;
  std::string arguments;  ///< JSON text
};

/// The result of a tool, as a later model request contains it.
struct ToolOutcome {
  std::string id;
  std::string result;
};

/// The request to a model and its response, independent of the client library.
struct ModelExchange {
  AgentSpan span = {};  ///< a model request, with only the columns that the exchange fills
  std::vector<RequestedTool> requested = {};
  std::vector<ToolOutcome> outcomes = {};
};

/// Recognises the arguments and results of model clients: OpenAI chat completions and responses
/// (streams combined, or as chunks), Anthropic messages, and lists of messages under any name.
/// Returns nothing for anything else. Both arguments are JSON texts; an empty text means missing.
std::optional<ModelExchange> exchangeOf(const std::string& inputs, const std::string& output);

/// Returns the prompt of a function call: a text argument if there is one, otherwise the JSON.
std::string promptOf(const std::string& inputs);
/// Returns the content of a JSON string, or other JSON as it is. Null and no text are empty.
std::string plainText(const std::string& json);

/// Returns the text at a path inside a JSON object; empty if there is none.
std::string textAt(const std::string& json, const std::vector<std::string>& path);

}  // namespace spindle::agents
