#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/core/result.h"
#include "engine/api/text_request.h"
#include "engine/runtime/generation.h"
#include "engine/runtime/model.h"

namespace spindle::engine {

/// A validated text completion request: its prompts and the parameters of the generations.
struct TextPlan {
  struct Prompt {
    std::string text;              ///< text for `echo`
    GenerationRequest generation;  ///< of the first answer
  };

  std::vector<Prompt> prompts;
  std::size_t answers = 1;  ///< per prompt
};

/// Tokenizes the prompts of a request and checks the rules that its schema cannot express.
/// `context` is the maximum of prompt and completion tokens together. `fresh_seed` is the seed of
/// requests without one. @return kInvalidArgument for a request that this model does not support
Result<TextPlan> planText(const Model& model,
                          const TextRequest& request,
                          std::int64_t context,
                          std::uint64_t fresh_seed);

}  // namespace spindle::engine
