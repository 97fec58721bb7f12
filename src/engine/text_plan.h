#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "engine/generation.h"
#include "engine/model.h"
#include "engine/text_request_api.h"

namespace spindle::engine {

/// A completion of plain text, ready to be generated.
struct TextPlan {
  struct Prompt {
    std::string text;              ///< as it is echoed
    GenerationRequest generation;  ///< of its first answer
  };

  std::vector<Prompt> prompts;
  std::size_t answers = 1;  ///< for each
};

/// What a request means for this model: rules that the schema cannot say are checked here.
/// `context` is what prompt and answer may have together; `fresh_seed` is for requests without one.
/// @return kInvalidArgument
Result<TextPlan> planText(const Model& model,
                          const TextRequest& request,
                          std::int64_t context,
                          std::uint64_t fresh_seed);

}  // namespace spindle::engine
