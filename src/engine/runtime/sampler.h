#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <unordered_map>
#include <vector>

namespace spindle::engine {

using Token = std::int32_t;

struct SamplingParams {
  double temperature = 1;  ///< 0: greedy
  double top_p = 1;
  double min_p = 0;
  int top_k = 0;  ///< 0 and below: all
  double repetition_penalty = 1;
  double frequency_penalty = 0;
  double presence_penalty = 0;
  std::map<Token, double> logit_bias = {};
  std::uint64_t seed = 0;
};

struct TopTokenLogprob {
  Token token = 0;
  double logprob = 0;
};

/// Samples tokens from a model's logits. Deterministic: the same parameters, tokens and logits give
/// the same choice. Not thread-safe.
class Sampler {
 public:
  /// Excludes tokens by setting their logits to minus infinity; at least one token must remain.
  using Mask = std::function<void(std::vector<float>& logits)>;

  /// The repetition penalty also applies to the tokens of `prompt`.
  Sampler(const SamplingParams& params, const std::vector<Token>& prompt);

  /// Chooses the next token, but none of `banned`. With a grammar, `allows` checks one token, which
  /// is cheap, and `mask` excludes all tokens that the grammar does not allow, which is expensive.
  Token choose(const float* logits,
               std::size_t count,
               const std::vector<Token>& banned,
               const std::function<bool(Token)>& allows,
               const Mask& mask);
  void accept(Token token);

 private:
  /// Returns true if bias or penalties change the logits.
  bool changesLogits() const;
  /// Applies bias and penalties to `logits_`.
  void changeLogits();
  /// Returns the logit of a token in `logits_`, or nullptr if there is no such token.
  float* logitOf(Token token);
  Token pick(const float* logits, std::size_t count);
  double unit();

  SamplingParams params_;
  std::uint64_t random_;
  std::unordered_map<Token, std::int64_t> counts_;  ///< occurrences of generated tokens
  std::unordered_map<Token, bool> seen_;            ///< tokens of the prompt and the completion
  std::vector<float> logits_;                       ///< scratch buffer
};

/// The log probabilities of a token and of the most likely tokens. They are computed from the
/// logits alone, before any sampling parameter applies. The minimum is -9999, which JSON can
/// represent.
struct TokenLogprobs {
  double logprob = 0;
  std::vector<TopTokenLogprob> top = {};  ///< most likely first, ties by id
};
TokenLogprobs logprobsOf(const float* logits, std::size_t count, Token token, std::size_t how_many);
/// Returns the rank of a token: 1 for the most likely; equally likely tokens share a rank.
std::int64_t rankOf(const float* logits, std::size_t count, Token token);

}  // namespace spindle::engine
