#include "engine/runtime/slot.h"

#include <algorithm>
#include <utility>

namespace spindle::engine {
namespace {

std::size_t commonOf(const std::vector<Token>& a, const std::vector<Token>& b) {
  const auto different = std::mismatch(a.begin(), a.end(), b.begin(), b.end());
  return static_cast<std::size_t>(different.first - a.begin());
}

}  // namespace

bool Slot::isShared(const GenerationRequest& request,
                    const std::shared_ptr<Adapter>& adapter) const {
  return adapter == adapter_ && request.cache_salt == salt_;
}

std::size_t Slot::common(const GenerationRequest& request,
                         const std::shared_ptr<Adapter>& adapter) const {
  return isShared(request, adapter) ? commonOf(cached_, request.prompt) : 0;
}

std::size_t Slot::commonWithPrompt(const GenerationRequest& request,
                                   const std::shared_ptr<Adapter>& adapter) const {
  if (!isReadingPrompt() || !isShared(request, adapter)) return 0;
  return commonOf(request_.prompt, request.prompt);
}

Result<void> Slot::begin(GenerationRequest request,
                         std::shared_ptr<GenerationSink> sink,
                         std::shared_ptr<Adapter> adapter,
                         std::size_t cached,
                         std::uint64_t turn) {
  cached_.assign(request.prompt.begin(),
                 request.prompt.begin() + static_cast<std::ptrdiff_t>(cached));
  last_used_ = turn;
  salt_ = request.cache_salt;
  adapter_ = std::move(adapter);
  grammar_.reset();
  if (request.grammar) {
    std::unique_ptr<Grammar> grammar = TRY(Grammar::of(model_, *request.grammar));
    grammar_ = std::move(grammar);
  }
  sampler_.emplace(request.sampling, request.prompt);
  text_.emplace(request.stop_texts, request.include_stop_text);
  next_.reset();
  scored_.clear();
  end_ = GenerationEnd{};
  end_.prompt_tokens = static_cast<std::int64_t>(request.prompt.size());
  end_.cached_tokens = static_cast<std::int64_t>(cached);
  request_ = std::move(request);
  sink_ = std::move(sink);
  return {};
}

std::vector<Token> Slot::pending(std::size_t limit) const {
  if (isFree() || limit == 0) return {};
  if (next_) return {*next_};
  const std::size_t count = std::min(limit, request_.prompt.size() - cached_.size());
  const auto begin = request_.prompt.begin() + static_cast<std::ptrdiff_t>(cached_.size());
  return {begin, begin + static_cast<std::ptrdiff_t>(count)};
}

bool Slot::needsLogits(std::size_t place, std::size_t count) const {
  if (place + 1 == count && choosesAfter(count)) return true;
  return scoresPrompt() && isReadingPrompt();
}

void Slot::advance(const std::vector<Token>& read,
                   const std::function<const float*(std::size_t)>& logits) {
  const bool chooses = choosesAfter(read.size());
  const bool scores = scoresPrompt() && isReadingPrompt();
  if (scores) score(read.size(), logits);
  cached_.insert(cached_.end(), read.begin(), read.end());
  next_.reset();
  if (!chooses) return;
  if (scores) sink_->onPrompt(std::move(scored_));
  if (request_.max_tokens == 0) return end(FinishReason::kLength);
  choose(logits(read.size() - 1));
}

/// Computes log probabilities of the prompt: the logits of a token give the probability of the
/// next.
void Slot::score(std::size_t read, const std::function<const float*(std::size_t)>& logits) {
  if (scored_.empty()) {
    GeneratedToken first;
    first.token = request_.prompt[0];
    first.bytes = model_.bytesOf(first.token, true);
    scored_.push_back(std::move(first));
  }
  for (std::size_t i = 0; i < read; ++i) {
    const std::size_t next = cached_.size() + i + 1;
    if (next >= request_.prompt.size()) return;
    const Token token = request_.prompt[next];
    scored_.push_back(describe(token, logits(i), request_.prompt_logprobs));
    scored_.back().rank = rankOf(logits(i), model_.vocabularySize(), token);
  }
}

GeneratedToken Slot::describe(Token token, const float* logits, int top) const {
  GeneratedToken described;
  described.token = token;
  described.bytes = model_.bytesOf(token, true);
  if (top < 0) return described;
  TokenLogprobs logprobs =
      logprobsOf(logits, model_.vocabularySize(), token, static_cast<std::size_t>(top));
  described.logprob = logprobs.logprob;
  described.top = std::move(logprobs.top);
  return described;
}

void Slot::choose(const float* logits) {
  const bool may_end = end_.completion_tokens >= request_.min_tokens;
  std::vector<Token> banned;
  if (!may_end) {
    banned = model_.ends();
    banned.insert(banned.end(), request_.stop_tokens.begin(), request_.stop_tokens.end());
  }
  std::function<bool(Token)> allows;
  Sampler::Mask mask;
  if (grammar_ != nullptr) {
    allows = [this](Token token) { return grammar_->allows(token); };
    mask = [this](std::vector<float>& all) { grammar_->mask(all); };
  }
  const Token token = sampler_->choose(logits, model_.vocabularySize(), banned, allows, mask);
  sampler_->accept(token);
  ++end_.completion_tokens;
  GenerationDelta delta;
  delta.tokens.push_back(describe(token, logits, request_.top_logprobs));

  const auto& stops = request_.stop_tokens;
  const bool asked = std::find(stops.begin(), stops.end(), token) != stops.end();
  const bool turn_ends = model_.endsTurn(token) && !request_.ignore_end;
  if (asked || turn_ends) {
    if (asked) end_.stop_token = token;
    delta.text = text_->finish();
    sink_->onDelta(std::move(delta));
    return end(FinishReason::kStop);
  }
  if (grammar_ != nullptr) grammar_->accept(token);
  const auto& visible_special = request_.visible_special;
  const bool visible =
      request_.shows_special ||
      std::find(visible_special.begin(), visible_special.end(), token) != visible_special.end();
  delta.text = text_->add(model_.bytesOf(token, visible));
  if (text_->stopped() && may_end) {
    end_.stop_text = text_->stopped();
    sink_->onDelta(std::move(delta));
    return end(FinishReason::kStop);
  }
  const bool full = end_.completion_tokens >= request_.max_tokens;
  if (full) delta.text += text_->finish();
  sink_->onDelta(std::move(delta));
  if (full) return end(FinishReason::kLength);
  next_ = token;
}

void Slot::end(FinishReason reason, std::optional<Error> error) {
  end_.reason = reason;
  if (error) {
    // The KV cache is undefined after a failed step.
    cached_.clear();
    end_.error = std::move(error);
  }
  const std::shared_ptr<GenerationSink> sink = std::move(sink_);
  sink_.reset();
  next_.reset();
  sink->onEnd(end_);
}

}  // namespace spindle::engine
