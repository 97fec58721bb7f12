#include "engine/api/generation_options.h"

#include <algorithm>
#include <charconv>

namespace spindle::engine {
namespace {

Result<SamplingParams> samplingOf(const GenerationOptions& options, std::uint64_t fresh_seed) {
  SamplingParams sampling;
  sampling.temperature = options.temperature.value_or(1);
  sampling.top_p = options.top_p.value_or(1);
  sampling.min_p = options.min_p.value_or(0);
  sampling.top_k = static_cast<int>(std::min<std::int64_t>(options.top_k.value_or(0), 1 << 30));
  sampling.repetition_penalty = options.repetition_penalty.value_or(1);
  sampling.frequency_penalty = options.frequency_penalty.value_or(0);
  sampling.presence_penalty = options.presence_penalty.value_or(0);
  sampling.seed = options.seed ? static_cast<std::uint64_t>(*options.seed) : fresh_seed;
  if (!options.logit_bias) return sampling;
  for (const auto& [text, bias] : *options.logit_bias) {
    Token token = 0;
    const char* end = text.data() + text.size();
    const auto [read, problem] = std::from_chars(text.data(), end, token);
    if (problem != std::errc() || read != end || token < 0)
      return Error::invalidArgument("logit_bias: '" + text + "' is not a token id.");
    sampling.logit_bias[token] = bias;
  }
  return sampling;
}

void setEnds(const GenerationOptions& options, GenerationRequest& generation) {
  if (options.stop) {
    if (const auto* text = std::get_if<std::string>(&*options.stop)) {
      generation.stop_texts = {*text};
    } else {
      generation.stop_texts = std::get<std::vector<std::string>>(*options.stop);
    }
    std::erase(generation.stop_texts, std::string());
  }
  for (const std::int64_t token : options.stop_token_ids)
    generation.stop_tokens.push_back(static_cast<Token>(token));
  generation.min_tokens = options.min_tokens.value_or(0);
  generation.ignore_end = options.ignore_eos;
  generation.include_stop_text = options.include_stop_str_in_output;
}

}  // namespace

Result<void> applyOptions(const GenerationOptions& options,
                          std::uint64_t fresh_seed,
                          GenerationRequest& generation) {
  if (options.stream_options && !options.stream)
    return Error::invalidArgument("stream_options requires stream=true.");
  if (options.prompt_logprobs && options.stream)
    return Error::invalidArgument("prompt_logprobs cannot be used with stream=true.");
  if (options.cache_salt && options.cache_salt->empty())
    return Error::invalidArgument("cache_salt must not be empty.");
  SamplingParams sampling = TRY(samplingOf(options, fresh_seed));
  generation.sampling = std::move(sampling);
  setEnds(options, generation);
  generation.shows_special = !options.skip_special_tokens;
  generation.cache_salt = options.cache_salt.value_or("");
  generation.priority = options.priority.value_or(0);
  if (options.prompt_logprobs)
    generation.prompt_logprobs = static_cast<int>(*options.prompt_logprobs);
  return {};
}

Result<std::int64_t> maxTokensFor(std::size_t prompt,
                                  std::optional<std::int64_t> asked,
                                  std::int64_t context) {
  const std::int64_t left = context - static_cast<std::int64_t>(prompt);
  if (left >= asked.value_or(1)) return asked.value_or(left);
  return Error::invalidArgument(
             "This model's maximum context length is " + std::to_string(context) +
             " tokens. The prompt has " + std::to_string(prompt) +
             (asked ? " and " + std::to_string(*asked) + " were requested." : "."))
      .because("context_length_exceeded");
}

}  // namespace spindle::engine
