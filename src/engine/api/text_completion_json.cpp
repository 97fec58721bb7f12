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
Record<Choice> choiceRecord(std::string name) {
  Record<Choice> record(std::move(name));
  record.required("index", &Choice::index, integer(), "Number of the answer, from 0.")
      .required("text", &Choice::text, string(), "The text, or its next part.")
      .required("logprobs", &Choice::logprobs, textLogprobsCodec(), "If requested.");
  return record;
}

Codec<TextCompletion> makeTextCodec() {
  using Choice = TextChoice;
  using C = TextCompletion;
  const auto choice =
      choiceRecord<Choice>("TextChoice")
          .required("finish_reason", &Choice::finish_reason, string(), "`stop` or `length`.")
          .required("stop_reason", &Choice::stop_reason, stopReasonCodec(),
                    "The stop text or stop token that ended the answer.")
          .required("token_ids", &Choice::token_ids, tokenIdsCodec(), "If requested.")
          .required("prompt_token_ids", &Choice::prompt_token_ids, tokenIdsCodec(),
                    "If requested, for the first answer to a prompt.")
          .required("prompt_logprobs", &Choice::prompt_logprobs, promptLogprobsCodec(),
                    "If requested, for the first answer to a prompt.")
          .codec();
  return completionRecord<C>("TextCompletion")
      .required("choices", &C::choices, list(choice), "The answers.")
      .required("usage", &C::usage, usageCodec(), "Number of tokens.")
      .required("system_fingerprint", &C::system_fingerprint, nullable(string()), "Always null.")
      .codec();
}

}  // namespace

const Codec<TextCompletion>& textCompletionCodec() {
  static const Codec<TextCompletion> codec = makeTextCodec();
  return codec;
}

const Codec<CompletionChunk<TextChunkChoice>>& textChunkCodec() {
  using C = TextChunkChoice;
  static const auto codec = chunkCodec(
      "TextCompletionChunk",
      choiceRecord<C>("TextChunkChoice")
          .required("finish_reason", &C::finish_reason, nullable(string()), "In the last chunk.")
          .required("stop_reason", &C::stop_reason, schema::ifPresent(stopReasonCodec()),
                    "In the last chunk.")
          .required("token_ids", &C::token_ids, tokenIdsCodec(), "If requested.")
          .omitNull()
          .codec());
  return codec;
}

}  // namespace spindle::engine
