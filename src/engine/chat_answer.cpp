#include "engine/chat_answer.h"

#include <algorithm>
#include <utility>

namespace spindle::engine {
namespace {

/// What `now` has behind `before`; all of it when the parser has changed its mind.
std::string grown(const std::string& before, const std::string& now) {
  return now.starts_with(before) ? now.substr(before.size()) : now;
}

void add(CompletionUsage& usage, const GenerationEnd& end, bool first) {
  // The prompt counts once, however many answers it gets.
  if (first) {
    usage.prompt = end.prompt_tokens;
    usage.cached = end.cached_tokens;
  }
  usage.completion += end.completion_tokens;
}

}  // namespace

std::string finishWord(FinishReason reason, bool called, bool names_tool) {
  if (called && !names_tool) return "tool_calls";
  return reason == FinishReason::kLength ? "length" : "stop";
}

std::optional<Error> problemOf(const GenerationEnd& end) {
  switch (end.reason) {
    case FinishReason::kStop:
    case FinishReason::kLength:
      return std::nullopt;
    case FinishReason::kCancelled:
      return Error::unavailable("The engine is stopping; try again.");
    case FinishReason::kTimeout:
      return Error(ErrorCode::kTimeout, "The answer took too long.");
    case FinishReason::kFailed:
      break;
  }
  return end.error.value_or(Error::internal("The model failed."));
}

class WholeAnswer::Sink final : public GenerationSink {
 public:
  Sink(std::shared_ptr<WholeAnswer> answer, std::size_t index)
      : answer_(std::move(answer)), index_(index) {}

  bool isWanted() const override { return answer_->wanted_; }
  void onDelta(GenerationDelta delta) override {
    const MutexLock lock(answer_->mutex_);
    answer_->texts_[index_] += delta.text;
    std::vector<GeneratedToken>& tokens = answer_->choices_[index_].tokens;
    std::move(delta.tokens.begin(), delta.tokens.end(), std::back_inserter(tokens));
  }
  void onEnd(const GenerationEnd& end) override {
    const MutexLock lock(answer_->mutex_);
    answer_->choices_[index_].end = end;
    --answer_->left_;
    answer_->changed_.notifyAll();
  }

 private:
  const std::shared_ptr<WholeAnswer> answer_;
  const std::size_t index_;
};

WholeAnswer::WholeAnswer(AnswerFrame frame)
    : frame_(std::move(frame)),
      choices_(static_cast<std::size_t>(frame_.plan.answers)),
      texts_(choices_.size()),
      left_(choices_.size()) {}

std::shared_ptr<GenerationSink> WholeAnswer::sink(std::int64_t index) {
  return std::make_shared<Sink>(shared_from_this(), static_cast<std::size_t>(index));
}

Result<std::string> WholeAnswer::wait() {
  const MutexLock lock(mutex_);
  while (left_ > 0) changed_.wait(mutex_);
  CompletionUsage usage;
  for (std::size_t i = 0; i < choices_.size(); ++i) {
    CompletionChoice& choice = choices_[i];
    if (const std::optional<Error> problem = problemOf(choice.end)) return *problem;
    choice.index = static_cast<std::int64_t>(i);
    choice.reply = frame_.plan.prompt.parser->read(texts_[i], false);
    if (!frame_.shows_reasoning) choice.reply.reasoning.clear();
    for (std::size_t call = 0; call < choice.reply.tool_calls.size(); ++call)
      choice.call_ids.push_back(frame_.new_call_id());
    choice.finish_reason =
        finishWord(choice.end.reason, !choice.reply.tool_calls.empty(), frame_.plan.names_tool);
    add(usage, choice.end, i == 0);
  }
  return completionJson(frame_.head, choices_, usage,
                        frame_.shows_prompt_ids ? &frame_.plan.generation.prompt : nullptr,
                        frame_.view);
}

class StreamedAnswer::Sink final : public GenerationSink {
 public:
  Sink(std::shared_ptr<StreamedAnswer> answer, std::int64_t index)
      : answer_(std::move(answer)), index_(index) {}

  bool isWanted() const override { return answer_->out_->isWanted() && !answer_->failed_; }
  void onDelta(GenerationDelta delta) override { answer_->take(index_, std::move(delta)); }
  void onEnd(const GenerationEnd& end) override { answer_->end(index_, end); }

 private:
  const std::shared_ptr<StreamedAnswer> answer_;
  const std::int64_t index_;
};

StreamedAnswer::StreamedAnswer(AnswerFrame frame, Usage usage, std::shared_ptr<EventOut> out)
    : frame_(std::move(frame)),
      usage_options_(usage),
      out_(std::move(out)),
      choices_(static_cast<std::size_t>(frame_.plan.answers)),
      left_(choices_.size()) {
  usage_.prompt = static_cast<std::int64_t>(frame_.plan.generation.prompt.size());
}

std::shared_ptr<GenerationSink> StreamedAnswer::sink(std::int64_t index) {
  return std::make_shared<Sink>(shared_from_this(), index);
}

void StreamedAnswer::send(const CompletionDelta& delta, bool first) {
  std::optional<CompletionUsage> usage;
  if (usage_options_.always) usage = usage_;
  const std::vector<Token>* prompt =
      first && frame_.shows_prompt_ids ? &frame_.plan.generation.prompt : nullptr;
  out_->send(chunkJson(frame_.head, delta, usage, prompt, frame_.view));
}

void StreamedAnswer::begin(std::int64_t index) {
  Choice& choice = choices_[static_cast<std::size_t>(index)];
  if (choice.begun) return;
  choice.begun = true;
  CompletionDelta delta;
  delta.index = index;
  delta.role = true;
  delta.content = "";
  send(delta, true);
}

CompletionDelta StreamedAnswer::changeOf(Choice& choice, const ChatReply& reply) const {
  CompletionDelta delta;
  const std::string content = grown(choice.shown.content, reply.content);
  if (!content.empty()) delta.content = content;
  if (frame_.shows_reasoning) {
    const std::string reasoning = grown(choice.shown.reasoning, reply.reasoning);
    if (!reasoning.empty()) delta.reasoning = reasoning;
  }
  for (std::size_t i = 0; i < reply.tool_calls.size(); ++i) {
    CompletionDelta::ToolCall call;
    call.index = i;
    const bool fresh = i >= choice.call_ids.size();
    if (fresh) {
      choice.call_ids.push_back(frame_.new_call_id());
      call.id = choice.call_ids.back();
      call.name = reply.tool_calls[i].name;
      delta.tool_calls.push_back(call);
      call.id.clear();
    }
    const std::string before =
        i < choice.shown.tool_calls.size() ? choice.shown.tool_calls[i].arguments : std::string();
    call.arguments = grown(before, reply.tool_calls[i].arguments);
    if (!call.arguments.empty()) delta.tool_calls.push_back(call);
  }
  return delta;
}

void StreamedAnswer::take(std::int64_t index, GenerationDelta delta) {
  begin(index);
  Choice& choice = choices_[static_cast<std::size_t>(index)];
  choice.text += delta.text;
  usage_.completion += static_cast<std::int64_t>(delta.tokens.size());
  choice.tokens += static_cast<std::int64_t>(delta.tokens.size());
  ChatReply reply = frame_.plan.prompt.parser->read(choice.text, true);
  CompletionDelta change = changeOf(choice, reply);
  choice.shown = std::move(reply);
  change.index = index;
  change.tokens = std::move(delta.tokens);
  const bool says = change.content || change.reasoning || !change.tool_calls.empty();
  if (says || frame_.view.logprobs || frame_.view.ids) send(change);
}

void StreamedAnswer::end(std::int64_t index, const GenerationEnd& end) {
  begin(index);
  --left_;
  if (const std::optional<Error> problem = problemOf(end)) {
    if (failed_) return;
    failed_ = true;
    out_->send(streamErrorJson(*problem));
    out_->finish();
    return;
  }
  if (failed_) return;
  Choice& choice = choices_[static_cast<std::size_t>(index)];
  const ChatReply reply = frame_.plan.prompt.parser->read(choice.text, false);
  CompletionDelta rest = changeOf(choice, reply);
  rest.index = index;
  if (rest.content || rest.reasoning || !rest.tool_calls.empty()) send(rest);
  CompletionDelta last;
  last.index = index;
  last.finish_reason = finishWord(end.reason, !reply.tool_calls.empty(), frame_.plan.names_tool);
  last.end = end;
  if (index == 0) usage_.cached = end.cached_tokens;
  send(last);
  if (left_ > 0) return;
  if (usage_options_.at_end) out_->send(usageChunkJson(frame_.head, usage_));
  out_->send("[DONE]");
  out_->finish();
}

}  // namespace spindle::engine
