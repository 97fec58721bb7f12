#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/api/answer.h"
#include "engine/api/text_plan.h"

namespace spindle::engine {

/// The parameters with which text completion responses are formatted.
struct TextResponseFormat {
  CompletionHead head;
  TextPlan plan;
  TokenView view;
  bool echo = false;
  std::optional<std::size_t> logprobs;         ///< number of most likely tokens per token
  std::optional<std::size_t> prompt_logprobs;  ///< the same for tokens of the prompt
  /// Returns the text of a token.
  std::function<std::string(Token)> text_of;
};

/// Returns the `text_completion` object of all answers.
std::string textCompletion(const TextResponseFormat& format, const std::vector<RawAnswer>& answers);

/// Formats the `text_completion` events of a stream.
std::unique_ptr<StreamFormatter> textStreamFormatter(TextResponseFormat format);

}  // namespace spindle::engine
