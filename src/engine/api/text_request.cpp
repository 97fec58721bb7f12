#include "engine/api/text_request.h"

#include "engine/api/generation_options_codec.h"

namespace spindle::engine {
namespace {

using schema::boolean, schema::integer, schema::nullable, schema::string;

constexpr std::size_t kPrompts = 128;

}  // namespace

schema::Codec<TextRequest> textRequestCodec() {
  schema::Record<TextRequest> record("CompletionRequest");
  addGenerationOptions(record);
  record
      .required("prompt", &TextRequest::prompt, textInputCodec(kPrompts),
                "Prompts, as texts or token ids.")
      .optional("max_tokens", &TextRequest::max_tokens, nullable(integer({.ge = 0})),
                "Maximum completion tokens; 16 if omitted. 0: only process the prompt.")
      .optional(
          "logprobs", &TextRequest::logprobs, nullable(integer({.ge = 0, .le = 5})),
          "Return the log probability of each token and of this number of most likely tokens.")
      .optional("echo", &TextRequest::echo, boolean(), "Start the answer with the prompt.")
      .optional("best_of", &TextRequest::best_of, nullable(integer({.ge = 1})), "At most `n`.")
      .optional("suffix", &TextRequest::suffix, nullable(string()), "Not supported.");
  return record.codec();
}

}  // namespace spindle::engine
