#include "engine/api/text_response.h"

#include <algorithm>
#include <utility>

#include "base/core/utf8.h"
#include "engine/api/text_completion_json.h"

namespace spindle::engine {
namespace {

/// Returns the most likely tokens and the actual token, by name. Of several tokens with the same
/// name, only the most likely is included.
schema::MapOf<double> topOf(const TextResponseFormat& format, const GeneratedToken& token) {
  schema::MapOf<double> named;
  const auto add = [&](Token id, double logprob) {
    std::string name = format.view.nameOf(id);
    const bool known = std::any_of(named.begin(), named.end(),
                                   [&name](const auto& entry) { return entry.first == name; });
    if (!known) named.emplace_back(std::move(name), logprob);
  };
  for (std::size_t i = 0; i < std::min(*format.logprobs, token.top.size()); ++i)
    add(token.top[i].token, token.top[i].logprob);
  add(token.token, token.logprob);
  return named;
}

/// Returns the log probabilities of tokens, if requested. The first token of a prompt has none.
/// Adds the length of the tokens to `offset`.
std::optional<TextLogprobs> textLogprobsOf(const TextResponseFormat& format,
                                           const std::vector<GeneratedToken>& tokens,
                                           bool begins_with_prompt,
                                           std::int64_t& offset) {
  if (!format.logprobs) return std::nullopt;
  TextLogprobs shown;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    const GeneratedToken& token = tokens[i];
    const bool has_logprob = i > 0 || !begins_with_prompt;
    shown.tokens.push_back(format.view.nameOf(token.token));
    shown.token_logprobs.push_back(has_logprob ? std::optional(token.logprob) : std::nullopt);
    shown.top_logprobs.push_back(has_logprob ? std::optional(topOf(format, token)) : std::nullopt);
    shown.text_offset.push_back(offset);
    offset += static_cast<std::int64_t>(charactersIn(format.text_of(token.token)));
  }
  return shown;
}

std::string finishReasonText(FinishReason reason) {
  return reason == FinishReason::kLength ? "length" : "stop";
}

TextChoice choiceOf(const TextResponseFormat& format, std::size_t index, const RawAnswer& answer) {
  const TextPlan::Prompt& prompt = format.plan.prompts[index / format.plan.answers];
  const bool first = index % format.plan.answers == 0;
  TextChoice choice;
  choice.index = static_cast<std::int64_t>(index);
  choice.text = format.echo ? prompt.text + answer.text : answer.text;
  std::vector<GeneratedToken> tokens;
  if (format.echo) tokens = answer.prompt;
  const bool begins_with_prompt = !tokens.empty();
  tokens.insert(tokens.end(), answer.tokens.begin(), answer.tokens.end());
  std::int64_t offset = 0;
  choice.logprobs = textLogprobsOf(format, tokens, begins_with_prompt, offset);
  choice.finish_reason = finishReasonText(answer.end.reason);
  choice.stop_reason = stopReasonOf(answer.end);
  if (format.view.ids) choice.token_ids = idsOf(answer.tokens);
  if (format.view.ids && first) choice.prompt_token_ids = idsOf(prompt.generation.prompt);
  if (format.prompt_logprobs && first) {
    choice.prompt_logprobs = promptLogprobsOf(answer.prompt, *format.prompt_logprobs, format.view);
  }
  return choice;
}

class TextStreamFormatter final : public StreamFormatter {
 public:
  explicit TextStreamFormatter(TextResponseFormat format)
      : format_(std::move(format)),
        chunks_(format_.head, "text_completion", textChunkCodec()),
        offsets_(format_.plan.prompts.size() * format_.plan.answers) {}

  Events begin(std::size_t index, const Usage& usage) override {
    // With log probabilities, prompt() sends the prompt when they are known.
    if (!format_.echo || format_.logprobs) return {};
    return {chunks_.write(choice(index, promptText(index), {}), usage)};
  }

  Events prompt(std::size_t index,
                std::vector<GeneratedToken> tokens,
                const Usage& usage) override {
    return {chunks_.write(choice(index, promptText(index), tokens, true), usage)};
  }

  Events add(std::size_t index, GenerationDelta delta, const Usage& usage) override {
    if (delta.text.empty() && !format_.logprobs && !format_.view.ids) return {};
    return {chunks_.write(choice(index, std::move(delta.text), delta.tokens), usage)};
  }

  Events end(std::size_t index, const GenerationEnd& end, const Usage& usage) override {
    TextChunkChoice last = choice(index, {}, {});
    last.finish_reason = finishReasonText(end.reason);
    last.stop_reason = stopReasonOf(end);
    return {chunks_.write(std::move(last), usage)};
  }

  std::string total(const CompletionUsage& usage) override { return chunks_.usageOnly(usage); }

 private:
  const std::string& promptText(std::size_t index) const {
    return format_.plan.prompts[index / format_.plan.answers].text;
  }

  TextChunkChoice choice(std::size_t index,
                         std::string text,
                         const std::vector<GeneratedToken>& tokens,
                         bool of_prompt = false) {
    TextChunkChoice made;
    made.index = static_cast<std::int64_t>(index);
    made.text = std::move(text);
    made.logprobs = textLogprobsOf(format_, tokens, of_prompt, offsets_[index]);
    if (format_.view.ids && !of_prompt) made.token_ids = idsOf(tokens);
    return made;
  }

  const TextResponseFormat format_;
  ChunkWriter<TextChunkChoice> chunks_;
  std::vector<std::int64_t> offsets_;  ///< text_offset of the next token, per answer
};

}  // namespace

std::string textCompletion(const TextResponseFormat& format,
                           const std::vector<RawAnswer>& answers) {
  TextCompletion response{format.head, "text_completion"};
  response.choices.reserve(answers.size());
  for (std::size_t i = 0; i < answers.size(); ++i)
    response.choices.push_back(choiceOf(format, i, answers[i]));
  response.usage = shownUsage(usageOf(answers, format.plan.answers));
  return textCompletionCodec().toJson(response);
}

std::unique_ptr<StreamFormatter> textStreamFormatter(TextResponseFormat format) {
  return std::make_unique<TextStreamFormatter>(std::move(format));
}

}  // namespace spindle::engine
