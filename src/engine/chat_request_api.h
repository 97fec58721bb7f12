#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "json/writer.h"
#include "schema/compound.h"
#include "schema/type.h"

namespace spindle::engine {

/// The body of a chat completion. Members that change nothing here (`user`, `metadata`, `store`,
/// `service_tier`, …) are taken and left alone.
struct ChatRequest {
  struct StreamOptions {
    bool include_usage = false;
    bool continuous_usage_stats = false;
  };
  struct JsonSchema {
    std::string name;
    std::optional<json::Text> schema;
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
  using Stop = std::variant<std::string, std::vector<std::string>>;
  using ToolChoice = std::variant<std::string, NamedTool>;

  std::string model;
  std::vector<json::Text> messages;
  bool stream = false;
  std::optional<StreamOptions> stream_options;
  std::optional<double> temperature;
  std::optional<double> top_p;
  std::optional<std::int64_t> top_k;
  std::optional<double> min_p;
  std::optional<double> repetition_penalty;
  std::optional<double> frequency_penalty;
  std::optional<double> presence_penalty;
  std::optional<std::int64_t> max_completion_tokens;
  std::optional<std::int64_t> max_tokens;
  std::optional<std::int64_t> min_tokens;
  std::optional<Stop> stop;
  std::vector<std::int64_t> stop_token_ids;
  bool ignore_eos = false;
  bool include_stop_str_in_output = false;
  std::optional<std::int64_t> n;
  std::optional<std::int64_t> seed;
  std::optional<bool> logprobs;
  std::optional<std::int64_t> top_logprobs;
  std::optional<schema::MapOf<double>> logit_bias;
  std::optional<ResponseFormat> response_format;
  std::optional<std::vector<json::Text>> tools;
  std::optional<ToolChoice> tool_choice;
  std::optional<bool> parallel_tool_calls;
  std::optional<json::Text> chat_template_kwargs;
  std::optional<bool> include_reasoning;
  std::optional<std::string> cache_salt;
  bool return_token_ids = false;
  bool return_tokens_as_token_ids = false;
  bool add_generation_prompt = true;
  bool continue_final_message = false;
};

schema::Codec<ChatRequest> chatRequestCodec();

}  // namespace spindle::engine
