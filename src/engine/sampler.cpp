#include "engine/sampler.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace spindle::engine {
namespace {

constexpr float kNever = -std::numeric_limits<float>::infinity();
constexpr double kLeastLogprob = -9999;

struct Candidate {
  Token token;
  float logit;
  double weight;
};

bool isLikelier(const Candidate& a, const Candidate& b) {
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

std::vector<Candidate> candidatesOf(const std::vector<float>& logits) {
  std::vector<Candidate> candidates;
  candidates.reserve(logits.size());
  for (std::size_t i = 0; i < logits.size(); ++i) {
    if (logits[i] > kNever) candidates.push_back({static_cast<Token>(i), logits[i], 0});
  }
  return candidates;
}

/// Keeps the `count` likeliest, in order.
void keepLikeliest(std::vector<Candidate>& candidates, std::size_t count) {
  const auto middle =
      candidates.begin() + static_cast<std::ptrdiff_t>(std::min(count, candidates.size()));
  std::partial_sort(candidates.begin(), middle, candidates.end(), isLikelier);
  candidates.erase(middle, candidates.end());
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
  logits_.assign(logits, logits + count);
  const auto at = [this](Token token) -> float* {
    const auto index = static_cast<std::size_t>(token);
    return token >= 0 && index < logits_.size() ? &logits_[index] : nullptr;
  };
  for (const auto& [token, bias] : params_.logit_bias) {
    if (float* logit = at(token)) *logit += static_cast<float>(bias);
  }
  for (const auto& [token, times] : counts_) {
    *at(token) -= static_cast<float>(params_.frequency_penalty * static_cast<double>(times) +
                                     params_.presence_penalty);
  }
  if (params_.repetition_penalty != 1) {
    const auto penalty = static_cast<float>(params_.repetition_penalty);
    for (const auto& [token, seen] : seen_) {
      if (float* logit = at(token)) *logit = *logit > 0 ? *logit / penalty : *logit * penalty;
    }
  }
  for (const Token token : banned) {
    if (float* logit = at(token)) *logit = kNever;
  }
  if (!allows) return pick(logits_);
  // Most tokens that a model chooses fit the grammar anyway.
  const std::uint64_t random = random_;
  const Token free = pick(logits_);
  if (allows(free)) return free;
  random_ = random;
  mask(logits_);
  return pick(logits_);
}

Token Sampler::pick(std::vector<float>& logits) {
  if (params_.temperature <= 0) {
    return static_cast<Token>(std::max_element(logits.begin(), logits.end()) - logits.begin());
  }
  std::vector<Candidate> candidates = candidatesOf(logits);
  if (candidates.empty()) return 0;
  const bool nucleus = params_.top_p < 1;
  if (params_.top_k > 0) {
    keepLikeliest(candidates, static_cast<std::size_t>(params_.top_k));
  } else if (nucleus) {
    std::sort(candidates.begin(), candidates.end(), isLikelier);
  }
  float largest = kNever;
  for (const Candidate& candidate : candidates) largest = std::max(largest, candidate.logit);
  double sum = 0;
  for (Candidate& candidate : candidates) {
    candidate.weight =
        std::exp((static_cast<double>(candidate.logit) - static_cast<double>(largest)) /
                 params_.temperature);
    sum += candidate.weight;
  }
  if (nucleus) {
    // As many as it takes to reach the share, the one that reaches it included.
    double reached = 0;
    std::size_t kept = 0;
    while (kept < candidates.size() && (kept == 0 || reached < params_.top_p * sum))
      reached += candidates[kept++].weight;
    candidates.resize(kept);
    sum = reached;
  }
  if (params_.min_p > 0) {
    // The likeliest has the weight 1.
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
  ++counts_[token];
  if (params_.repetition_penalty != 1) seen_[token] = true;
}

/// SplitMix64: 53 bits of it make a number in [0, 1).
double Sampler::unit() {
  random_ += 0x9E3779B97F4A7C15U;
  std::uint64_t bits = random_;
  bits = (bits ^ bits >> 30U) * 0xBF58476D1CE4E5B9U;
  bits = (bits ^ bits >> 27U) * 0x94D049BB133111EBU;
  bits ^= bits >> 31U;
  return static_cast<double>(bits >> 11U) * 0x1p-53;
}

double logprobOf(const float* logits, std::size_t count, Token token) {
  const double logprob = static_cast<double>(logits[token]) - logSum(logits, count);
  return std::max(logprob, kLeastLogprob);
}

std::int64_t rankOf(const float* logits, std::size_t count, Token token) {
  return 1 + std::count_if(logits, logits + count,
                           [mine = logits[token]](float logit) { return logit > mine; });
}

std::vector<TokenChance> likeliest(const float* logits, std::size_t count, std::size_t how_many) {
  std::vector<Candidate> candidates = candidatesOf({logits, logits + count});
  keepLikeliest(candidates, how_many);
  const double sum = candidates.empty() ? 0 : logSum(logits, count);
  std::vector<TokenChance> chances;
  for (const Candidate& candidate : candidates) {
    chances.push_back(
        {candidate.token, std::max(static_cast<double>(candidate.logit) - sum, kLeastLogprob)});
  }
  return chances;
}

}  // namespace spindle::engine
