#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "engine/api/generation_options.h"
#include "json/writer.h"
#include "schema/type.h"

namespace spindle::engine {

/// The body of a chat completion request.
struct ChatRequest : GenerationOptions {
  struct JsonSchema {
    std::string name;
    std::optional<json::Text> schema;
    std::optional<bool> strict;
  };
  struct ResponseFormat {
    std::string type;
    std::optional<JsonSchema> json_schema;
  };
  struct NamedFunction {
    std::string name;
  };
  struct NamedTool {
    NamedFunction function;
  };
  using ToolChoice = std::variant<std::string, NamedTool>;

  std::vector<json::Text> messages;
  std::optional<std::int64_t> max_completion_tokens;
  std::optional<bool> logprobs;
  std::optional<std::int64_t> top_logprobs;
  std::optional<ResponseFormat> response_format;
  std::optional<std::vector<json::Text>> tools;
  std::optional<ToolChoice> tool_choice;
  std::optional<bool> parallel_tool_calls;
  std::optional<std::string> reasoning_effort;
  std::optional<json::Text> chat_template_kwargs;
  std::optional<bool> include_reasoning;
  bool add_generation_prompt = true;
  bool continue_final_message = false;
  // Parameters of the API that local models do not support.
  std::optional<json::Text> audio;
  std::optional<json::Text> functions;
  std::optional<json::Text> function_call;
  std::optional<json::Text> prediction;
  std::optional<json::Text> web_search_options;
};

schema::Codec<ChatRequest> chatRequestCodec();

}  // namespace spindle::engine
