#pragma once

#include "base/core/result.h"
#include "engine/api/chat_request.h"
#include "engine/chat/chat_template.h"
#include "engine/runtime/generation.h"

namespace spindle::engine {

/// A validated chat completion request: the prompt and the parameters of the generation.
struct ChatPlan {
  GenerationRequest generation;  ///< of the first answer; the others use consecutive seeds
  ChatPrompt prompt;
  std::int64_t answers = 1;
  bool shows_logprobs = false;
  bool names_tool = false;  ///< tool_choice names one function
};

/// Renders the prompt of a request and checks the rules that its schema cannot express. `context`
/// is the maximum of prompt and completion tokens together. `fresh_seed` is the seed of requests
/// without one. @return kInvalidArgument for a request that this model does not support
Result<ChatPlan> planChat(const Model& model,
                          const ChatTemplate& chat_template,
                          const ChatRequest& request,
                          std::int64_t context,
                          std::uint64_t fresh_seed);

}  // namespace spindle::engine
