#include "engine/runtime/sampler.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace spindle::engine {
namespace {

constexpr float kExcluded = -std::numeric_limits<float>::infinity();
constexpr double kLeastLogprob = -9999;

struct Candidate {
  Token token;
  float logit;
  double weight;
};

bool isMoreLikely(const Candidate& a, const Candidate& b) {
  return a.logit != b.logit ? a.logit > b.logit : a.token < b.token;
}

/// log(sum(exp(logits)))
double logSum(const float* logits, std::size_t count) {
  const float largest = *std::max_element(logits, logits + count);
  double sum = 0;
  for (std::size_t i = 0; i < count; ++i)
    sum += std::exp(static_cast<double>(logits[i]) - static_cast<double>(largest));
  return static_cast<double>(largest) + std::log(sum);
}

std::vector<Candidate> candidatesOf(const float* logits, std::size_t count) {
  std::vector<Candidate> candidates;
  candidates.reserve(count);
  for (std::size_t i = 0; i < count; ++i) {
    if (logits[i] > kExcluded) candidates.push_back({static_cast<Token>(i), logits[i], 0});
  }
  return candidates;
}

/// Keeps the `count` most likely candidates, sorted.
void keepMostLikely(std::vector<Candidate>& candidates, std::size_t count) {
  const auto middle =
      candidates.begin() + static_cast<std::ptrdiff_t>(std::min(count, candidates.size()));
  std::partial_sort(candidates.begin(), middle, candidates.end(), isMoreLikely);
  candidates.erase(middle, candidates.end());
}

/// Keeps the smallest set of most likely candidates, sorted, whose total weight reaches `share` of
/// `sum`. @return the total weight of the set
double keepNucleus(std::vector<Candidate>& candidates, double share, double sum) {
  // A few candidates are usually enough, so only the first ones are sorted.
  for (std::size_t sorted = 64;; sorted *= 8) {
    const std::size_t known = std::min(sorted, candidates.size());
    std::partial_sort(candidates.begin(), candidates.begin() + static_cast<std::ptrdiff_t>(known),
                      candidates.end(), isMoreLikely);
    double reached = 0;
    std::size_t kept = 0;
    while (kept < known && (kept == 0 || reached < share * sum))
      reached += candidates[kept++].weight;
    if (reached < share * sum && known < candidates.size()) continue;
    candidates.resize(kept);
    return reached;
  }
}

}  // namespace

Sampler::Sampler(const SamplingParams& params, const std::vector<Token>& prompt)
    : params_(params), random_(params.seed) {
  if (params_.repetition_penalty != 1) {
    for (const Token token : prompt) seen_[token] = true;
  }
}

Token Sampler::choose(const float* logits,
                      std::size_t count,
                      const std::vector<Token>& banned,
                      const std::function<bool(Token)>& allows,
                      const Mask& mask) {
  if (!allows && banned.empty() && !changesLogits()) return pick(logits, count);
  logits_.assign(logits, logits + count);
  changeLogits();
  for (const Token token : banned) {
    if (float* logit = logitOf(token)) *logit = kExcluded;
  }
  if (!allows) return pick(logits_.data(), count);
  // Most sampled tokens match the grammar, so the expensive mask is rarely needed.
  const std::uint64_t random = random_;
  const Token free = pick(logits_.data(), count);
  if (allows(free)) return free;
  random_ = random;
  mask(logits_);
  return pick(logits_.data(), count);
}

bool Sampler::changesLogits() const {
  return !params_.logit_bias.empty() || params_.frequency_penalty != 0 ||
         params_.presence_penalty != 0 || params_.repetition_penalty != 1;
}

float* Sampler::logitOf(Token token) {
  const auto index = static_cast<std::size_t>(token);
  return token >= 0 && index < logits_.size() ? &logits_[index] : nullptr;
}

void Sampler::changeLogits() {
  for (const auto& [token, bias] : params_.logit_bias) {
    if (float* logit = logitOf(token)) *logit += static_cast<float>(bias);
  }
  if (params_.frequency_penalty != 0 || params_.presence_penalty != 0) {
    for (const auto& [token, times] : counts_)
      *logitOf(token) -= static_cast<float>(params_.frequency_penalty * static_cast<double>(times) +
                                            params_.presence_penalty);
  }
  if (params_.repetition_penalty != 1) {
    const auto penalty = static_cast<float>(params_.repetition_penalty);
    for (const auto& [token, seen] : seen_) {
      if (float* logit = logitOf(token)) *logit = *logit > 0 ? *logit / penalty : *logit * penalty;
    }
  }
}

Token Sampler::pick(const float* logits, std::size_t count) {
  if (params_.temperature <= 0)
    return static_cast<Token>(std::max_element(logits, logits + count) - logits);
  std::vector<Candidate> candidates = candidatesOf(logits, count);
  if (candidates.empty()) return 0;
  if (params_.top_k > 0) keepMostLikely(candidates, static_cast<std::size_t>(params_.top_k));
  float largest = kExcluded;
  for (const Candidate& candidate : candidates) largest = std::max(largest, candidate.logit);
  double sum = 0;
  for (Candidate& candidate : candidates) {
    candidate.weight =
        std::exp((static_cast<double>(candidate.logit) - static_cast<double>(largest)) /
                 params_.temperature);
    sum += candidate.weight;
  }
  if (params_.top_p < 1) sum = keepNucleus(candidates, params_.top_p, sum);
  if (params_.min_p > 0) {
    // The most likely candidate has the weight 1.
    std::erase_if(candidates,
                  [this](const Candidate& candidate) { return candidate.weight < params_.min_p; });
    sum = 0;
    for (const Candidate& candidate : candidates) sum += candidate.weight;
  }
  double left = unit() * sum;
  for (const Candidate& candidate : candidates) {
    left -= candidate.weight;
    if (left < 0) return candidate.token;
  }
  return candidates.back().token;
}

void Sampler::accept(Token token) {
  if (params_.frequency_penalty != 0 || params_.presence_penalty != 0) ++counts_[token];
  if (params_.repetition_penalty != 1) seen_[token] = true;
}

/// Returns a random number in [0, 1): 53 bits of SplitMix64.
double Sampler::unit() {
  random_ += 0x9E3779B97F4A7C15U;
  std::uint64_t bits = random_;
  bits = (bits ^ bits >> 30U) * 0xBF58476D1CE4E5B9U;
  bits = (bits ^ bits >> 27U) * 0x94D049BB133111EBU;
  bits ^= bits >> 31U;
  return static_cast<double>(bits >> 11U) * 0x1p-53;
}

std::int64_t rankOf(const float* logits, std::size_t count, Token token) {
  return 1 + std::count_if(logits, logits + count,
                           [mine = logits[token]](float logit) { return logit > mine; });
}

TokenLogprobs logprobsOf(const float* logits,
                         std::size_t count,
                         Token token,
                         std::size_t how_many) {
  const double sum = logSum(logits, count);
  const auto logprob = [sum](float logit) {
    const double chance = static_cast<double>(logit) - sum;
    return chance > kLeastLogprob ? chance : kLeastLogprob;  // also replaces NaN
  };
  TokenLogprobs logprobs;
  logprobs.logprob = logprob(logits[token]);
  // `best` is short: one comparison with its last entry rejects most tokens.
  std::vector<Candidate> best;
  for (std::size_t i = 0; i < count && how_many > 0; ++i) {
    if (best.size() == how_many && logits[i] <= best.back().logit) continue;
    if (!(logits[i] > kExcluded)) continue;
    const Candidate candidate{static_cast<Token>(i), logits[i], 0};
    if (best.size() == how_many) best.pop_back();
    best.insert(std::upper_bound(best.begin(), best.end(), candidate, isMoreLikely), candidate);
  }
  for (const Candidate& candidate : best)
    logprobs.top.push_back({candidate.token, logprob(candidate.logit)});
  return logprobs;
}

}  // namespace spindle::engine
