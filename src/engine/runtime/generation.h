#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/core/error.h"
#include "engine/runtime/grammar.h"
#include "engine/runtime/sampler.h"

namespace spindle::engine {

/// A prompt and the parameters of its completion. Tokens are ids of the model's vocabulary.
struct GenerationRequest {
  std::vector<Token> prompt;  ///< not empty
  SamplingParams sampling = {};
  /// Prompt and completion must fit into the context; 0: only the prompt is processed.
  std::int64_t max_tokens = 0;
  std::int64_t min_tokens = 0;  ///< no stop condition applies before
  std::vector<std::string> stop_texts = {};
  bool include_stop_text = false;
  std::vector<Token> stop_tokens = {};
  bool ignore_end = false;  ///< ignore the model's end-of-turn tokens
  std::optional<GrammarText> grammar = {};
  /// Special tokens that are part of the text nevertheless.
  std::vector<Token> visible_special = {};
  bool shows_special = false;  ///< all special tokens are part of the text
  std::string adapter = {};    ///< name of a loaded adapter; empty: none
  /// Only requests with the same salt share cached prefixes.
  std::string cache_salt = {};
  /// Number of most likely tokens to return per token; negative: no log probabilities.
  int top_logprobs = -1;
  /// The same for the tokens of the prompt, which is then processed without the prefix cache.
  int prompt_logprobs = -1;
  std::int64_t priority = 0;  ///< requests with lower values start first
  std::optional<std::chrono::steady_clock::time_point> deadline = {};
};

struct GeneratedToken {
  Token token = 0;
  std::string bytes = {};  ///< may be part of a UTF-8 character
  double logprob = 0;      ///< when requested
  std::vector<TopTokenLogprob> top = {};
  std::int64_t rank = 0;  ///< in a prompt: 1 for the most likely token
};

/// New tokens and new text. The text may lag behind the tokens: incomplete characters and possible
/// beginnings of a stop text are held back.
struct GenerationDelta {
  std::string text = {};
  std::vector<GeneratedToken> tokens = {};
};

enum class FinishReason {
  kStop,       ///< end of turn, stop token or stop text
  kLength,     ///< max_tokens reached
  kCancelled,  ///< the client or the engine cancelled it
  kTimeout,
  kFailed,
};

struct GenerationEnd {
  FinishReason reason = FinishReason::kStop;
  std::optional<std::string> stop_text = {};
  std::optional<Token> stop_token = {};  ///< one of the requested stop tokens
  std::int64_t prompt_tokens = 0;
  std::int64_t cached_tokens = 0;  ///< prompt tokens from the prefix cache
  std::int64_t completion_tokens = 0;
  std::optional<Error> error = {};  ///< set with kFailed
};

/// Receives the results of a generation. Called on the scheduler's thread: must not block.
class GenerationSink {
 public:
  virtual ~GenerationSink() = default;

  /// Returns false to cancel the generation, also before it starts.
  virtual bool isWanted() const = 0;
  /// Called first, if the log probabilities of the prompt were requested. The first token has none,
  /// because no token precedes it.
  virtual void onPrompt(std::vector<GeneratedToken> tokens) = 0;
  virtual void onDelta(GenerationDelta delta) = 0;
  /// The last call.
  virtual void onEnd(const GenerationEnd& end) = 0;
};

/// Returns the reason to stop a generation early (cancelled or timeout), or nothing.
inline std::optional<FinishReason> earlyFinishOf(const GenerationRequest& request,
                                                 const GenerationSink& sink,
                                                 std::chrono::steady_clock::time_point now) {
  if (!sink.isWanted()) return FinishReason::kCancelled;
  if (request.deadline && *request.deadline < now) return FinishReason::kTimeout;
  return std::nullopt;
}

}  // namespace spindle::engine
