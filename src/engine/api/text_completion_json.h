#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "engine/api/token_json.h"

namespace spindle::engine {

/// Log probabilities of a text completion: one item per token in each list.
struct TextLogprobs {
  std::vector<std::string> tokens = {};
  std::vector<std::optional<double>> token_logprobs = {};  ///< null for the first of a prompt
  std::vector<std::optional<schema::MapOf<double>>> top_logprobs = {};  ///< by name of the token
  std::vector<std::int64_t> text_offset = {};                           ///< in characters
};

/// One complete answer.
struct TextChoice : CompletionChoice {
  std::string text = {};
  std::optional<TextLogprobs> logprobs = {};
  std::optional<TokenIds> prompt_token_ids = {};
  std::optional<PromptLogprobs> prompt_logprobs = {};
};

/// The object `text_completion` of a response that is not streamed.
using TextCompletion = Completion<TextChoice>;
const schema::Codec<TextCompletion>& textCompletionCodec();

/// The choice of the object `text_completion` in a stream.
struct TextChunkChoice : ChunkChoice {
  std::string text = {};
  std::optional<TextLogprobs> logprobs = {};
};
const schema::Codec<CompletionChunk<TextChunkChoice>>& textChunkCodec();

}  // namespace spindle::engine
