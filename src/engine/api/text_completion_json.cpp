#include "engine/api/text_completion_json.h"

namespace spindle::engine {
namespace {

using schema::Codec, schema::integer, schema::list, schema::nullable, schema::number,
    schema::Record, schema::string;

Codec<std::optional<TextLogprobs>> textLogprobsCodec() {
  using L = TextLogprobs;
  return nullable(
      Record<L>("TextLogprobs")
          .required("tokens", &L::tokens, list(string()), "Texts or ids of the tokens.")
          .required("token_logprobs", &L::token_logprobs, list(nullable(number())),
                    "Log probabilities.")
          .required("top_logprobs", &L::top_logprobs, list(nullable(schema::map(number()))),
                    "The most likely tokens and the actual token, by name.")
          .required("text_offset", &L::text_offset, list(integer()), "Positions in the text.")
          .codec());
}

/// Begins the record of an answer, or of its change in a stream.
template <class Choice>
Record<Choice> textChoiceRecord(std::string name) {
  auto record = choiceRecord<Choice>(std::move(name));
  record.required("text", &Choice::text, string(), "The text, or its next part.")
      .required("logprobs", &Choice::logprobs, textLogprobsCodec(), "If requested.");
  addChoiceEnd(record);
  return record;
}

Codec<TextChoice> textChoiceCodec() {
  using C = TextChoice;
  return textChoiceRecord<C>("TextChoice")
      .required("prompt_token_ids", &C::prompt_token_ids, tokenIdsCodec(),
                "For the first answer to a prompt.")
      .required("prompt_logprobs", &C::prompt_logprobs, promptLogprobsCodec(),
                "For the first answer to a prompt.")
      .codec();
}

}  // namespace

const Codec<TextCompletion>& textCompletionCodec() {
  static const auto codec =
      wholeRecord<TextCompletion>("TextCompletion", textChoiceCodec()).codec();
  return codec;
}

const Codec<CompletionChunk<TextChunkChoice>>& textChunkCodec() {
  static const auto codec = chunkCodec(
      "TextCompletionChunk", textChoiceRecord<TextChunkChoice>("TextChunkChoice").codec());
  return codec;
}

}  // namespace spindle::engine
