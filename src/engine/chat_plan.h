#pragma once

#include "base/result.h"
#include "engine/chat_request_api.h"
#include "engine/chat_template.h"
#include "engine/generation.h"

namespace spindle::engine {

/// A chat completion, ready to be generated.
struct ChatPlan {
  GenerationRequest generation;  ///< of the first answer; the others have the seeds that follow
  ChatPrompt prompt;
  std::int64_t answers = 1;
  bool shows_logprobs = false;
  bool names_tool = false;  ///< one tool was asked for by its name
};

/// What a request means for this model: rules that the schema cannot say are checked here.
/// `context` is what prompt and answer may have together; `fresh_seed` is for requests without one.
/// @return kInvalidArgument
Result<ChatPlan> planChat(const Model& model,
                          const ChatTemplate& chat_template,
                          const ChatRequest& request,
                          std::int64_t context,
                          std::uint64_t fresh_seed);

}  // namespace spindle::engine
