#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "base/core/result.h"
#include "engine/runtime/generation.h"

namespace spindle::engine {

/// The `stream_options` of a request.
struct StreamOptions {
  bool include_usage = false;
  bool continuous_usage_stats = false;
};

/// Request parameters of chat and text completions. Parameters without effect (`user`, `metadata`,
/// `store`, `service_tier`, …) are accepted and ignored.
struct GenerationOptions {
  using Stop = std::variant<std::string, std::vector<std::string>>;

  std::string model;
  bool stream = false;
  std::optional<StreamOptions> stream_options;
  std::optional<double> temperature;
  std::optional<double> top_p;
  std::optional<std::int64_t> top_k;
  std::optional<double> min_p;
  std::optional<double> repetition_penalty;
  std::optional<double> frequency_penalty;
  std::optional<double> presence_penalty;
  std::optional<std::vector<std::pair<std::string, double>>> logit_bias;
  std::optional<std::int64_t> seed;
  std::optional<std::int64_t> max_tokens;
  std::optional<std::int64_t> min_tokens;
  std::optional<Stop> stop;
  std::vector<std::int64_t> stop_token_ids;
  bool ignore_eos = false;
  bool include_stop_str_in_output = false;
  bool skip_special_tokens = true;
  std::optional<std::int64_t> n;
  std::optional<std::int64_t> prompt_logprobs;
  std::optional<std::string> cache_salt;
  std::optional<bool> add_special_tokens;
  std::optional<std::int64_t> priority;
  std::optional<std::string> request_id;
  bool return_token_ids = false;
  bool return_tokens_as_token_ids = false;
};

/// Sets all members of `generation` except the prompt, max_tokens and top_logprobs. `fresh_seed` is
/// the seed of requests without one. @return kInvalidArgument for rules that the schema cannot
/// express
Result<void> applyOptions(const GenerationOptions& options,
                          std::uint64_t fresh_seed,
                          GenerationRequest& generation);

/// Returns the maximum number of tokens after a prompt of `prompt` tokens: `asked`, or else as many
/// as fit. @return kInvalidArgument when they do not fit into `context`
Result<std::int64_t> maxTokensFor(std::size_t prompt,
                                  std::optional<std::int64_t> asked,
                                  std::int64_t context);

}  // namespace spindle::engine
