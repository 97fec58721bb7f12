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
  double temperature = 1;  ///< 0: always the likeliest
  double top_p = 1;
  double min_p = 0;
  int top_k = 0;  ///< 0 and below: all
  double repetition_penalty = 1;
  double frequency_penalty = 0;
  double presence_penalty = 0;
  std::map<Token, double> logit_bias = {};
  std::uint64_t seed = 0;
};

struct TokenChance {
  Token token = 0;
  double logprob = 0;
};

/// Chooses tokens by a model's logits. The same parameters, tokens and logits always give the same
/// choice. For one thread.
class Sampler {
 public:
  /// May take tokens away by setting their logits to minus infinity; at least one stays.
  using Mask = std::function<void(std::vector<float>& logits)>;

  /// `prompt` counts for the repetition penalty.
  Sampler(const SamplingParams& params, const std::vector<Token>& prompt);

  /// `banned` are never chosen. Where there is a grammar, `allows` says whether it takes a token
  /// and `mask` takes all away that it does not: the first is cheap, the second is not.
  Token choose(const float* logits,
               std::size_t count,
               const std::vector<Token>& banned,
               const std::function<bool(Token)>& allows,
               const Mask& mask);
  void accept(Token token);

 private:
  /// Whether the logits are changed before the choice.
  bool changesLogits() const;
  Token pick(const float* logits, std::size_t count);
  double unit();

  SamplingParams params_;
  std::uint64_t random_;
  std::unordered_map<Token, std::int64_t> counts_;  ///< of what was generated
  std::unordered_map<Token, bool> seen_;            ///< prompt and generated
  std::vector<float> logits_;                       ///< kept for its memory
};

/// How likely a token is, and the likeliest ones beside it: logarithms of probabilities by these
/// logits alone, before any parameter. At least -9999, so that they can be written down.
struct Chances {
  double logprob = 0;
  std::vector<TokenChance> top = {};  ///< the likeliest first, ties by id
};
Chances chancesOf(const float* logits, std::size_t count, Token token, std::size_t how_many);
/// 1 for the likeliest; tokens that are as likely share a place.
std::int64_t rankOf(const float* logits, std::size_t count, Token token);

}  // namespace spindle::engine
