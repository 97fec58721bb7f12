#include "engine/api/answer.h"

#include <iterator>
#include <utility>

namespace spindle::engine {

CompletionUsage usageOf(const std::vector<RawAnswer>& answers, std::size_t per_prompt) {
  CompletionUsage usage;
  for (std::size_t i = 0; i < answers.size(); ++i) {
    // A prompt counts once, for all of its answers.
    if (i % per_prompt == 0) {
      usage.prompt += answers[i].end.prompt_tokens;
      usage.cached += answers[i].end.cached_tokens;
    }
    usage.completion += answers[i].end.completion_tokens;
  }
  return usage;
}

std::optional<Error> problemOf(const GenerationEnd& end) {
  switch (end.reason) {
    case FinishReason::kStop:
    case FinishReason::kLength:
      return std::nullopt;
    case FinishReason::kCancelled:
      return Error::unavailable("The engine is stopping; try again.");
    case FinishReason::kTimeout:
      return Error(ErrorCode::kTimeout, "The request exceeded the time limit.");
    case FinishReason::kFailed:
      break;
  }
  return end.error.value_or(Error::internal("The model failed."));
}

class CollectedAnswers::Sink final : public GenerationSink {
 public:
  Sink(std::shared_ptr<CollectedAnswers> answer, std::size_t index)
      : answer_(std::move(answer)), index_(index) {}

  bool isWanted() const override { return answer_->wanted_; }
  void onPrompt(std::vector<GeneratedToken> tokens) override {
    answer_->answers_[index_].prompt = std::move(tokens);
  }
  void onDelta(GenerationDelta delta) override {
    RawAnswer& raw = answer_->answers_[index_];
    raw.text += delta.text;
    std::move(delta.tokens.begin(), delta.tokens.end(), std::back_inserter(raw.tokens));
  }
  void onEnd(const GenerationEnd& end) override {
    answer_->answers_[index_].end = end;
    if (--answer_->left_ > 0 || !answer_->wanted_) return;
    for (const RawAnswer& raw : answer_->answers_) {
      if (const std::optional<Error> problem = problemOf(raw.end)) return answer_->done_(*problem);
    }
    answer_->done_(std::move(answer_->answers_));
  }

 private:
  const std::shared_ptr<CollectedAnswers> answer_;
  const std::size_t index_;
};

CollectedAnswers::CollectedAnswers(std::size_t answers, Done done)
    : done_(std::move(done)), answers_(answers), left_(answers) {}

std::shared_ptr<GenerationSink> CollectedAnswers::sink(std::size_t index) {
  return std::make_shared<Sink>(shared_from_this(), index);
}

class StreamedAnswers::Sink final : public GenerationSink {
 public:
  Sink(std::shared_ptr<StreamedAnswers> answer, std::size_t index)
      : answer_(std::move(answer)), index_(index) {}

  bool isWanted() const override { return answer_->out_->isWanted() && !answer_->failed_; }
  void onPrompt(std::vector<GeneratedToken> tokens) override {
    answer_->begin(index_);
    answer_->out_->send(answer_->formatter_->prompt(index_, std::move(tokens), answer_->shown()));
  }
  void onDelta(GenerationDelta delta) override {
    answer_->begin(index_);
    answer_->usage_.completion += static_cast<std::int64_t>(delta.tokens.size());
    answer_->out_->send(answer_->formatter_->add(index_, std::move(delta), answer_->shown()));
  }
  void onEnd(const GenerationEnd& end) override { answer_->end(index_, end); }

 private:
  const std::shared_ptr<StreamedAnswers> answer_;
  const std::size_t index_;
};

StreamedAnswers::StreamedAnswers(std::size_t answers,
                                 std::size_t per_prompt,
                                 std::int64_t prompt_tokens,
                                 Usage usage,
                                 std::unique_ptr<StreamFormatter> formatter,
                                 std::shared_ptr<EventSink> out)
    : per_prompt_(per_prompt),
      usage_options_(usage),
      formatter_(std::move(formatter)),
      out_(std::move(out)),
      begun_(answers),
      left_(answers) {
  usage_.prompt = prompt_tokens;
}

std::shared_ptr<GenerationSink> StreamedAnswers::sink(std::size_t index) {
  return std::make_shared<Sink>(shared_from_this(), index);
}

std::optional<CompletionUsage> StreamedAnswers::shown() const {
  return usage_options_.always ? std::optional(usage_) : std::nullopt;
}

void StreamedAnswers::begin(std::size_t index) {
  if (begun_[index]) return;
  begun_[index] = true;
  out_->send(formatter_->begin(index, shown()));
}

void StreamedAnswers::end(std::size_t index, const GenerationEnd& end) {
  --left_;
  if (failed_) return;
  if (const std::optional<Error> problem = problemOf(end)) {
    failed_ = true;
    out_->send({streamErrorJson(*problem)});
    out_->finish();
    return;
  }
  begin(index);
  if (index % per_prompt_ == 0) usage_.cached += end.cached_tokens;
  out_->send(formatter_->end(index, end, shown()));
  if (left_ > 0) return;
  if (usage_options_.at_end) out_->send({formatter_->total(usage_)});
  out_->send({"[DONE]"});
  out_->finish();
}

}  // namespace spindle::engine
