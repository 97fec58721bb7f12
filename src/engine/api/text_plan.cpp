#include "engine/api/text_plan.h"

#include <algorithm>
#include <utility>

namespace spindle::engine {
namespace {

constexpr std::int64_t kDefaultTokens = 16;

Result<void> checkTogether(const TextRequest& request) {
  if (!request.suffix.value_or("").empty())
    return Error::invalidArgument("suffix is not supported by this model.");
  if (request.best_of.value_or(1) > request.n.value_or(1))
    return Error::invalidArgument("best_of must not be greater than n: all answers are returned.");
  if (request.max_tokens == 0 && !request.echo && !request.prompt_logprobs)
    return Error::invalidArgument("max_tokens=0 requires echo or prompt_logprobs.");
  return {};
}

}  // namespace

Result<TextPlan> planText(const Model& model,
                          const TextRequest& request,
                          std::int64_t context,
                          std::uint64_t fresh_seed) {
  TRY(checkTogether(request));
  TextPlan plan;
  plan.answers = static_cast<std::size_t>(request.n.value_or(1));
  for (InputText& input :
       textsOf(model, request.prompt, request.add_special_tokens.value_or(true))) {
    TextPlan::Prompt& prompt = plan.prompts.emplace_back();
    prompt.text = std::move(input.text);
    GenerationRequest& generation = prompt.generation;
    generation.prompt = std::move(input.tokens);
    TRY(applyOptions(request, fresh_seed, generation));
    const std::int64_t room = TRY(maxTokensFor(
        generation.prompt.size(), request.max_tokens.value_or(kDefaultTokens), context));
    generation.max_tokens = room;
    if (!request.logprobs) continue;
    generation.top_logprobs = static_cast<int>(*request.logprobs);
    if (request.echo)
      generation.prompt_logprobs = std::max(generation.prompt_logprobs, generation.top_logprobs);
  }
  return plan;
}

}  // namespace spindle::engine
