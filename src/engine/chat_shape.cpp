#include "engine/chat_shape.h"

#include <algorithm>
#include <utility>

namespace spindle::engine {

std::string finishWord(FinishReason reason, bool called, bool names_tool) {
  if (called && !names_tool) return "tool_calls";
  return reason == FinishReason::kLength ? "length" : "stop";
}

std::string chatCompletion(const ChatFrame& frame, std::vector<RawAnswer> answers) {
  CompletionUsage usage = usageOf(answers, answers.size());
  std::vector<CompletionChoice> choices(answers.size());
  for (std::size_t i = 0; i < answers.size(); ++i) {
    CompletionChoice& choice = choices[i];
    choice.index = static_cast<std::int64_t>(i);
    choice.reply = frame.plan.prompt.read(answers[i].text);
    usage.reasoning += frame.tokens_in(choice.reply.reasoning);
    if (!frame.shows_reasoning) choice.reply.reasoning.clear();
    for (std::size_t call = 0; call < choice.reply.tool_calls.size(); ++call)
      choice.call_ids.push_back(frame.new_call_id());
    choice.end = answers[i].end;
    choice.finish_reason =
        finishWord(choice.end.reason, !choice.reply.tool_calls.empty(), frame.plan.names_tool);
    choice.tokens = std::move(answers[i].tokens);
  }
  const GenerationRequest& asked = frame.plan.generation;
  ShownPrompt prompt;
  if (frame.shows_prompt_ids) prompt.tokens = &asked.prompt;
  prompt.chances = std::move(answers[0].prompt);
  prompt.likeliest = static_cast<std::size_t>(std::max(0, asked.prompt_logprobs));
  return completionJson(frame.head, choices, usage, prompt, frame.view);
}

ChatStream::ChatStream(ChatFrame frame) : frame_(std::move(frame)) {
  for (std::int64_t i = 0; i < frame_.plan.answers; ++i)
    replies_.emplace_back(frame_.plan.prompt.parser);
}

std::string ChatStream::chunk(const CompletionDelta& delta, const Usage& usage, bool first) const {
  const std::vector<Token>* prompt =
      first && frame_.shows_prompt_ids ? &frame_.plan.generation.prompt : nullptr;
  return chunkJson(frame_.head, delta, usage, prompt, frame_.view);
}

StreamShape::Events ChatStream::begin(std::size_t index, const Usage& usage) {
  CompletionDelta delta;
  delta.index = static_cast<std::int64_t>(index);
  delta.role = true;
  delta.content = "";
  return {chunk(delta, usage, true)};
}

StreamShape::Events ChatStream::prompt(std::size_t /*index*/,
                                       std::vector<GeneratedToken> /*tokens*/,
                                       const Usage& /*usage*/) {
  return {};
}

CompletionDelta ChatStream::deltaOf(std::size_t index, ReplyChange change) const {
  CompletionDelta delta;
  delta.index = static_cast<std::int64_t>(index);
  if (!change.content.empty()) delta.content = std::move(change.content);
  if (frame_.shows_reasoning && !change.reasoning.empty())
    delta.reasoning = std::move(change.reasoning);
  for (ReplyChange::Call& call : change.calls) {
    CompletionDelta::ToolCall piece;
    piece.index = call.index;
    if (call.fresh) {
      piece.id = frame_.new_call_id();
      piece.name = call.name;
      delta.tool_calls.push_back(piece);
      piece.id.clear();
    }
    piece.arguments = std::move(call.arguments);
    if (!piece.arguments.empty()) delta.tool_calls.push_back(std::move(piece));
  }
  return delta;
}

StreamShape::Events ChatStream::add(std::size_t index, GenerationDelta delta, const Usage& usage) {
  CompletionDelta change = deltaOf(index, replies_[index].add(delta.text));
  change.tokens = std::move(delta.tokens);
  const bool says = change.content || change.reasoning || !change.tool_calls.empty();
  if (!says && !frame_.view.logprobs && !frame_.view.ids) return {};
  return {chunk(change, usage)};
}

StreamShape::Events ChatStream::end(std::size_t index,
                                    const GenerationEnd& end,
                                    const Usage& usage) {
  Events events;
  ReplyStream& reply = replies_[index];
  const CompletionDelta rest = deltaOf(index, reply.finish());
  if (rest.content || rest.reasoning || !rest.tool_calls.empty())
    events.push_back(chunk(rest, usage));
  CompletionDelta last;
  last.index = static_cast<std::int64_t>(index);
  last.finish_reason =
      finishWord(end.reason, !reply.shown().tool_calls.empty(), frame_.plan.names_tool);
  last.end = end;
  events.push_back(chunk(last, usage));
  return events;
}

std::string ChatStream::total(const CompletionUsage& usage) {
  CompletionUsage all = usage;
  for (const ReplyStream& reply : replies_)
    all.reasoning += frame_.tokens_in(reply.shown().reasoning);
  return usageChunkJson(frame_.head, "chat.completion.chunk", all);
}

}  // namespace spindle::engine
