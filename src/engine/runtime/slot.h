#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/runtime/generation.h"
#include "engine/runtime/grammar.h"
#include "engine/runtime/model.h"
#include "engine/runtime/text_stream.h"

namespace spindle::engine {

/// One sequence of the KV cache and its current generation, if any. After a generation its tokens
/// stay cached for the next one with the same prefix. Not thread-safe.
class Slot {
 public:
  Slot(const Model& model, int sequence) : model_(model), sequence_(sequence) {}

  int sequence() const { return sequence_; }
  bool isFree() const { return sink_ == nullptr; }
  const std::shared_ptr<Adapter>& adapter() const { return adapter_; }
  std::uint64_t lastUsed() const { return last_used_; }

  /// Returns the length of the prefix that a request shares with the cached tokens.
  std::size_t common(const GenerationRequest& request,
                     const std::shared_ptr<Adapter>& adapter) const;
  /// Returns the length of the prefix that a request shares with the prompt being processed.
  std::size_t commonWithPrompt(const GenerationRequest& request,
                               const std::shared_ptr<Adapter>& adapter) const;

  /// Starts a generation whose first `cached` tokens are cached. @return kInvalidArgument for an
  /// invalid grammar
  Result<void> begin(GenerationRequest request,
                     std::shared_ptr<GenerationSink> sink,
                     std::shared_ptr<Adapter> adapter,
                     std::size_t cached,
                     std::uint64_t turn);

  /// Returns the pending tokens, at most `limit`; none when the slot is free.
  std::vector<Token> pending(std::size_t limit) const;
  std::size_t position() const { return cached_.size(); }
  /// Returns true if the logits of pending token `place` (of `count`) must be computed.
  bool needsLogits(std::size_t place, std::size_t count) const;
  /// Continues after the forward pass of these tokens. `logits` returns the logits of a token for
  /// which needsLogits() is true.
  void advance(const std::vector<Token>& read,
               const std::function<const float*(std::size_t)>& logits);
  bool isReadingPrompt() const { return !isFree() && cached_.size() < request_.prompt.size(); }

  /// Returns the reason to stop early (cancelled or timeout), or nothing.
  std::optional<FinishReason> earlyFinish(std::chrono::steady_clock::time_point now) const {
    return isFree() ? std::nullopt : earlyFinishOf(request_, *sink_, now);
  }
  /// Ends the generation. The tokens stay cached, unless the model failed.
  void end(FinishReason reason, std::optional<Error> error = {});

 private:
  bool scoresPrompt() const { return request_.prompt_logprobs >= 0; }
  /// Returns true if the next token is chosen after `read` more tokens.
  bool choosesAfter(std::size_t read) const {
    return cached_.size() + read >= request_.prompt.size();
  }
  void score(std::size_t read, const std::function<const float*(std::size_t)>& logits);
  void choose(const float* logits);
  GeneratedToken describe(Token token, const float* logits, int top) const;
  bool isShared(const GenerationRequest& request, const std::shared_ptr<Adapter>& adapter) const;

  const Model& model_;
  const int sequence_;
  std::vector<Token> cached_;  ///< the cached tokens
  std::uint64_t last_used_ = 0;
  std::string salt_;
  std::shared_ptr<Adapter> adapter_;

  GenerationRequest request_;
  std::shared_ptr<GenerationSink> sink_;
  std::optional<Sampler> sampler_;
  std::unique_ptr<Grammar> grammar_;
  std::optional<TextStream> text_;
  std::optional<Token> next_;           ///< chosen, not yet processed by the model
  std::vector<GeneratedToken> scored_;  ///< log probabilities of the prompt
  GenerationEnd end_;
};

}  // namespace spindle::engine
