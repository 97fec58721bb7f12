#include "engine/api/chat_response.h"

#include <algorithm>
#include <utility>

#include "engine/api/chat_completion_json.h"
#include "engine/chat/incremental_answer_parser.h"

namespace spindle::engine {
namespace {

ChatChoice::Message messageOf(const ChatResponseFormat& format, ParsedAnswer reply) {
  ChatChoice::Message message;
  if (!reply.content.empty() || reply.tool_calls.empty()) {
    message.content = std::move(reply.content);
  }
  if (format.shows_reasoning && !reply.reasoning.empty()) {
    message.reasoning = std::move(reply.reasoning);
  }
  if (reply.tool_calls.empty()) return message;
  message.tool_calls.emplace();
  for (ChatToolCall& call : reply.tool_calls) {
    message.tool_calls->push_back({.id = format.new_call_id(), .function = std::move(call)});
  }
  return message;
}

class ChatStreamFormatter final : public StreamFormatter {
 public:
  explicit ChatStreamFormatter(ChatResponseFormat format)
      : format_(std::move(format)),
        chunks_(format_.head, "chat.completion.chunk", chatChunkCodec()) {
    for (std::int64_t i = 0; i < format_.plan.answers; ++i)
      replies_.emplace_back(format_.plan.prompt.parser);
  }

  Events begin(std::size_t index, const Usage& usage) override {
    ChatChunkChoice first = choice(index, {.role = "assistant", .content = ""});
    std::optional<TokenIds> prompt_ids;
    if (format_.shows_prompt_ids) prompt_ids = idsOf(format_.plan.generation.prompt);
    return {chunks_.write(std::move(first), usage, std::move(prompt_ids))};
  }

  Events prompt(std::size_t /*index*/,
                std::vector<GeneratedToken> /*tokens*/,
                const Usage& /*usage*/) override {
    return {};
  }

  Events add(std::size_t index, GenerationDelta delta, const Usage& usage) override {
    ChatDelta change = deltaOf(replies_[index].add(delta.text));
    if (change.empty() && !format_.view.logprobs && !format_.view.ids) return {};
    return {chunks_.write(choice(index, std::move(change), delta.tokens), usage)};
  }

  Events end(std::size_t index, const GenerationEnd& end, const Usage& usage) override {
    Events events;
    IncrementalAnswerParser& reply = replies_[index];
    ChatDelta rest = deltaOf(reply.finish());
    if (!rest.empty()) events.push_back(chunks_.write(choice(index, std::move(rest)), usage));
    ChatChunkChoice last = choice(index, {});
    last.finish_reason =
        finishReasonText(end.reason, !reply.shown().tool_calls.empty(), format_.plan.names_tool);
    last.stop_reason = stopReasonOf(end);
    events.push_back(chunks_.write(std::move(last), usage));
    return events;
  }

  std::string total(const CompletionUsage& usage) override {
    CompletionUsage all = usage;
    for (const IncrementalAnswerParser& reply : replies_)
      all.reasoning += format_.tokens_in(reply.shown().reasoning);
    return chunks_.usageOnly(all);
  }

 private:
  ChatChunkChoice choice(std::size_t index,
                         ChatDelta delta,
                         const std::vector<GeneratedToken>& tokens = {}) const {
    ChatChunkChoice made;
    made.index = static_cast<std::int64_t>(index);
    made.delta = std::move(delta);
    made.logprobs = chatLogprobsOf(tokens, format_.view);
    if (format_.view.ids) made.token_ids = idsOf(tokens);
    return made;
  }

  ChatDelta deltaOf(ParsedAnswerDelta change) const {
    ChatDelta delta;
    if (!change.content.empty()) delta.content = std::move(change.content);
    if (format_.shows_reasoning && !change.reasoning.empty())
      delta.reasoning = std::move(change.reasoning);
    std::vector<ChatDelta::ToolCall> calls;
    for (ParsedAnswerDelta::Call& call : change.calls) {
      const auto position = static_cast<std::int64_t>(call.index);
      if (call.fresh) {
        calls.push_back({.index = position,
                         .id = format_.new_call_id(),
                         .type = "function",
                         .function = {.name = call.name}});
      }
      if (call.arguments.empty()) continue;
      calls.push_back({.index = position, .function = {.arguments = std::move(call.arguments)}});
    }
    if (!calls.empty()) delta.tool_calls = std::move(calls);
    return delta;
  }

  const ChatResponseFormat format_;
  ChunkWriter<ChatChunkChoice> chunks_;
  std::vector<IncrementalAnswerParser> replies_;  ///< one per answer
};

}  // namespace

std::string finishReasonText(FinishReason reason, bool called, bool names_tool) {
  if (called && !names_tool) return "tool_calls";
  return reason == FinishReason::kLength ? "length" : "stop";
}

std::string chatCompletion(const ChatResponseFormat& format,
                           const std::vector<RawAnswer>& answers) {
  CompletionUsage usage = usageOf(answers, answers.size());
  ChatCompletion response;
  static_cast<CompletionHead&>(response) = format.head;
  response.object = "chat.completion";
  response.choices.resize(answers.size());
  for (std::size_t i = 0; i < answers.size(); ++i) {
    const RawAnswer& answer = answers[i];
    ChatChoice& choice = response.choices[i];
    choice.index = static_cast<std::int64_t>(i);
    ParsedAnswer reply = format.plan.prompt.read(answer.text);
    usage.reasoning += format.tokens_in(reply.reasoning);
    choice.finish_reason =
        finishReasonText(answer.end.reason, !reply.tool_calls.empty(), format.plan.names_tool);
    choice.message = messageOf(format, std::move(reply));
    choice.logprobs = chatLogprobsOf(answer.tokens, format.view);
    choice.stop_reason = stopReasonOf(answer.end);
    if (format.view.ids) choice.token_ids = idsOf(answer.tokens);
  }
  response.usage = shownUsage(usage);
  const GenerationRequest& asked = format.plan.generation;
  if (format.shows_prompt_ids) response.prompt_token_ids = idsOf(asked.prompt);
  response.prompt_logprobs = promptLogprobsOf(
      answers[0].prompt, static_cast<std::size_t>(std::max(0, asked.prompt_logprobs)), format.view);
  return chatCompletionCodec().toJson(response);
}

std::unique_ptr<StreamFormatter> chatStreamFormatter(ChatResponseFormat format) {
  return std::make_unique<ChatStreamFormatter>(std::move(format));
}

}  // namespace spindle::engine
