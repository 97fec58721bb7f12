#include "engine/text_request_api.h"

#include "engine/generation_options_api.h"

namespace spindle::engine {
namespace {

using schema::boolean;
using schema::integer;
using schema::nullable;
using schema::string;
using R = TextRequest;

constexpr std::size_t kPrompts = 128;

}  // namespace

schema::Codec<TextRequest> textRequestCodec() {
  schema::Record<R> record("CompletionRequest");
  addGenerationOptions(record);
  record
      .required("prompt", &R::prompt, textInputCodec(kPrompts),
                "What to go on with: texts or token ids.")
      .optional("max_tokens", &R::max_tokens, nullable(integer({.ge = 0})),
                "At most so many; 16 when left out. 0: only look at the prompt.")
      .optional("logprobs", &R::logprobs, nullable(integer({.ge = 0, .le = 5})),
                "Say how likely each token was, and name so many others.")
      .optional("echo", &R::echo, boolean(), "Begin the answer with the prompt.")
      .optional("best_of", &R::best_of, nullable(integer({.ge = 1})), "No more than `n`.")
      .optional("suffix", &R::suffix, nullable(string()), "Not supported.");
  return record.codec();
}

}  // namespace spindle::engine
