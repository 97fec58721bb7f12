#include "engine/api/chat_response.h"

#include <algorithm>
#include <utility>

namespace spindle::engine {

std::string finishReasonText(FinishReason reason, bool called, bool names_tool) {
  if (called && !names_tool) return "tool_calls";
  return reason == FinishReason::kLength ? "length" : "stop";
}

std::string chatCompletion(const ChatResponseFormat& format, std::vector<RawAnswer> answers) {
  CompletionUsage usage = usageOf(answers, answers.size());
  std::vector<CompletionChoice> choices(answers.size());
  for (std::size_t i = 0; i < answers.size(); ++i) {
    CompletionChoice& choice = choices[i];
    choice.index = static_cast<std::int64_t>(i);
    choice.reply = format.plan.prompt.read(answers[i].text);
    usage.reasoning += format.tokens_in(choice.reply.reasoning);
    if (!format.shows_reasoning) choice.reply.reasoning.clear();
    for (std::size_t call = 0; call < choice.reply.tool_calls.size(); ++call)
      choice.call_ids.push_back(format.new_call_id());
    choice.end = answers[i].end;
    choice.finish_reason = finishReasonText(choice.end.reason, !choice.reply.tool_calls.empty(),
                                            format.plan.names_tool);
    choice.tokens = std::move(answers[i].tokens);
  }
  const GenerationRequest& asked = format.plan.generation;
  ShownPrompt prompt;
  if (format.shows_prompt_ids) prompt.tokens = &asked.prompt;
  prompt.logprobs = std::move(answers[0].prompt);
  prompt.top_count = static_cast<std::size_t>(std::max(0, asked.prompt_logprobs));
  return completionJson(format.head, choices, usage, prompt, format.view);
}

ChatStreamFormatter::ChatStreamFormatter(ChatResponseFormat format) : format_(std::move(format)) {
  for (std::int64_t i = 0; i < format_.plan.answers; ++i)
    replies_.emplace_back(format_.plan.prompt.parser);
}

std::string ChatStreamFormatter::chunk(const CompletionDelta& delta,
                                       const Usage& usage,
                                       bool first) const {
  const std::vector<Token>* prompt =
      first && format_.shows_prompt_ids ? &format_.plan.generation.prompt : nullptr;
  return chunkJson(format_.head, delta, usage, prompt, format_.view);
}

StreamFormatter::Events ChatStreamFormatter::begin(std::size_t index, const Usage& usage) {
  CompletionDelta delta;
  delta.index = static_cast<std::int64_t>(index);
  delta.role = true;
  delta.content = "";
  return {chunk(delta, usage, true)};
}

StreamFormatter::Events ChatStreamFormatter::prompt(std::size_t /*index*/,
                                                    std::vector<GeneratedToken> /*tokens*/,
                                                    const Usage& /*usage*/) {
  return {};
}

CompletionDelta ChatStreamFormatter::deltaOf(std::size_t index, ParsedAnswerDelta change) const {
  CompletionDelta delta;
  delta.index = static_cast<std::int64_t>(index);
  if (!change.content.empty()) delta.content = std::move(change.content);
  if (format_.shows_reasoning && !change.reasoning.empty())
    delta.reasoning = std::move(change.reasoning);
  for (ParsedAnswerDelta::Call& call : change.calls) {
    CompletionDelta::ToolCall piece;
    piece.index = call.index;
    if (call.fresh) {
      piece.id = format_.new_call_id();
      piece.name = call.name;
      delta.tool_calls.push_back(piece);
      piece.id.clear();
    }
    piece.arguments = std::move(call.arguments);
    if (!piece.arguments.empty()) delta.tool_calls.push_back(std::move(piece));
  }
  return delta;
}

StreamFormatter::Events ChatStreamFormatter::add(std::size_t index,
                                                 GenerationDelta delta,
                                                 const Usage& usage) {
  CompletionDelta change = deltaOf(index, replies_[index].add(delta.text));
  change.tokens = std::move(delta.tokens);
  const bool says = change.content || change.reasoning || !change.tool_calls.empty();
  if (!says && !format_.view.logprobs && !format_.view.ids) return {};
  return {chunk(change, usage)};
}

StreamFormatter::Events ChatStreamFormatter::end(std::size_t index,
                                                 const GenerationEnd& end,
                                                 const Usage& usage) {
  Events events;
  IncrementalAnswerParser& reply = replies_[index];
  const CompletionDelta rest = deltaOf(index, reply.finish());
  if (rest.content || rest.reasoning || !rest.tool_calls.empty())
    events.push_back(chunk(rest, usage));
  CompletionDelta last;
  last.index = static_cast<std::int64_t>(index);
  last.finish_reason =
      finishReasonText(end.reason, !reply.shown().tool_calls.empty(), format_.plan.names_tool);
  last.end = end;
  events.push_back(chunk(last, usage));
  return events;
}

std::string ChatStreamFormatter::total(const CompletionUsage& usage) {
  CompletionUsage all = usage;
  for (const IncrementalAnswerParser& reply : replies_)
    all.reasoning += format_.tokens_in(reply.shown().reasoning);
  return usageChunkJson(format_.head, "chat.completion.chunk", all);
}

}  // namespace spindle::engine
