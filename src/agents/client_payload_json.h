#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "agents/span.h"

namespace spindle::agents {

/// A tool that a model asked for.
struct RequestedTool {
  std::string id;
  std::string name;
  std::string arguments;  ///< JSON text
};

/// What a tool said, as a model was told afterwards.
struct ToolOutcome {
  std::string id;
  std::string result;
};

/// What a model was given and what came back, whichever client was used.
struct ModelExchange {
  std::vector<std::string> instructions;
  std::vector<SpanMessage> input;
  std::vector<SpanMessage> output;
  std::string reasoning;
  std::string request_model;
  std::string response_model;
  std::string response_id;
  std::string tool_definitions;  ///< JSON text
  std::vector<RequestedTool> requested;
  std::vector<ToolOutcome> outcomes;
  std::vector<std::string> finish_reasons;
  std::int64_t input_tokens = 0;
  std::int64_t output_tokens = 0;
  std::int64_t reasoning_tokens = 0;
};

/// Recognises the arguments and answers of clients of models: chat completions and responses as
/// OpenAI has them (streamed answers put together, or left as chunks), messages as Anthropic has
/// them, and lists of messages under any name. Empty for anything else. Both are JSON texts; an
/// empty one is missing.
std::optional<ModelExchange> exchangeOf(const std::string& inputs, const std::string& output);

/// Makes the span one of a model, with everything of the exchange that spans have a column for.
void putExchange(ModelExchange exchange, AgentSpan& span);

/// What a function was asked, in words when its arguments have some, otherwise as JSON.
std::string promptOf(const std::string& inputs);
/// A JSON text as a person reads it: of a string what it says. Null and nothing are empty.
std::string plainText(const std::string& json);

/// The text behind these names inside a JSON object; empty when there is none.
std::string textAt(const std::string& json, const std::vector<std::string>& path);

}  // namespace spindle::agents
