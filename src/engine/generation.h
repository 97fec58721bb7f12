#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "engine/grammar.h"
#include "engine/sampler.h"

namespace spindle::engine {

/// What is to be generated. Tokens are ids of the model's vocabulary.
struct GenerationRequest {
  std::vector<Token> prompt;  ///< not empty
  SamplingParams sampling = {};
  /// Prompt and these together fit the context; 0: only the prompt is read.
  std::int64_t max_tokens = 0;
  std::int64_t min_tokens = 0;  ///< before so many, nothing ends it
  std::vector<std::string> stop_texts = {};
  bool include_stop_text = false;
  std::vector<Token> stop_tokens = {};
  bool ignore_end = false;  ///< the model's own end of turn is a token like any other
  std::optional<GrammarText> grammar = {};
  /// Special tokens that belong to the text all the same.
  std::vector<Token> shown = {};
  bool shows_special = false;  ///< all of them do
  std::string adapter = {};    ///< the name of one that is loaded; empty: none
  /// Only requests with the same share what they have in common.
  std::string cache_salt = {};
  /// The likeliest tokens to name with each; negative: no probabilities at all.
  int top_logprobs = -1;
  /// The same for the tokens of the prompt, which is then read anew.
  int prompt_logprobs = -1;
  std::int64_t priority = 0;  ///< those with less begin first
  std::optional<std::chrono::steady_clock::time_point> deadline = {};
};

struct GeneratedToken {
  Token token = 0;
  std::string bytes = {};  ///< may be a part of a character
  double logprob = 0;      ///< when asked for
  std::vector<TokenChance> top = {};
  std::int64_t rank = 0;  ///< in a prompt: 1 for the likeliest
};

/// Some tokens, and the text that can be shown since: it may lag behind the tokens, because half a
/// character and what may become a stop text are held back.
struct GenerationDelta {
  std::string text = {};
  std::vector<GeneratedToken> tokens = {};
};

enum class FinishReason {
  kStop,       ///< the end of the turn, a stop token or a stop text
  kLength,     ///< as many tokens as were asked for
  kCancelled,  ///< nobody wants the rest
  kTimeout,
  kFailed,
};

struct GenerationEnd {
  FinishReason reason = FinishReason::kStop;
  std::optional<std::string> stop_text = {};
  std::optional<Token> stop_token = {};  ///< one of those asked for, not the model's own
  std::int64_t prompt_tokens = 0;
  std::int64_t cached_tokens = 0;  ///< of the prompt, computed before for others
  std::int64_t completion_tokens = 0;
  std::optional<Error> error = {};  ///< with kFailed
};

/// Who a generation is for. Called on the scheduler's thread: must not block.
class GenerationSink {
 public:
  virtual ~GenerationSink() = default;

  /// False ends it, whether it has begun or not.
  virtual bool isWanted() const = 0;
  /// Before anything else, when the prompt's probabilities were asked for. Nothing precedes its
  /// first token, which therefore has none.
  virtual void onPrompt(std::vector<GeneratedToken> tokens) = 0;
  virtual void onDelta(GenerationDelta delta) = 0;
  /// The last call.
  virtual void onEnd(const GenerationEnd& end) = 0;
};

/// Why a generation is to end before its time, if it is.
inline std::optional<FinishReason> cutShortOf(const GenerationRequest& request,
                                              const GenerationSink& sink,
                                              std::chrono::steady_clock::time_point now) {
  if (!sink.isWanted()) return FinishReason::kCancelled;
  if (request.deadline && *request.deadline < now) return FinishReason::kTimeout;
  return std::nullopt;
}

}  // namespace spindle::engine
