#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "engine/api/answer.h"
#include "engine/api/text_plan.h"
#include "engine/api/token_json.h"

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
class TextStreamFormatter final : public StreamFormatter {
 public:
  explicit TextStreamFormatter(TextResponseFormat format);

  Events begin(std::size_t index, const Usage& usage) override;
  Events prompt(std::size_t index, std::vector<GeneratedToken> tokens, const Usage& usage) override;
  Events add(std::size_t index, GenerationDelta delta, const Usage& usage) override;
  Events end(std::size_t index, const GenerationEnd& end, const Usage& usage) override;
  std::string total(const CompletionUsage& usage) override;

 private:
  struct Piece;
  std::string chunk(std::size_t index, const Piece& piece, const Usage& usage);

  const TextResponseFormat format_;
  std::vector<std::int64_t> offsets_;  ///< text_offset of the next token, per answer
};

}  // namespace spindle::engine
