#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/generation.h"
#include "engine/grammar.h"
#include "engine/model.h"
#include "engine/text_stream.h"

namespace spindle::engine {

/// One sequence of tokens in the model's memory, and the generation that uses it, if any. When a
/// generation is done its tokens stay, for the next one that begins alike. For one thread.
class Slot {
 public:
  Slot(const Model& model, int sequence) : model_(model), sequence_(sequence) {}

  int sequence() const { return sequence_; }
  bool isFree() const { return sink_ == nullptr; }
  const std::shared_ptr<Adapter>& adapter() const { return adapter_; }
  std::uint64_t lastUsed() const { return last_used_; }

  /// How many tokens at the beginning a request has in common with what is in memory.
  std::size_t common(const GenerationRequest& request,
                     const std::shared_ptr<Adapter>& adapter) const;
  /// The same with what will be in memory when the prompt is read.
  std::size_t commonSoon(const GenerationRequest& request,
                         const std::shared_ptr<Adapter>& adapter) const;

  /// Takes a generation whose first `cached` tokens are in memory. @return kInvalidArgument
  Result<void> begin(GenerationRequest request,
                     std::shared_ptr<GenerationSink> sink,
                     std::shared_ptr<Adapter> adapter,
                     std::size_t cached,
                     std::uint64_t turn);

  /// The tokens that the model has to read next, at most so many; none when nobody uses it.
  std::vector<Token> due(std::size_t limit) const;
  std::size_t position() const { return memory_.size(); }
  /// Whether the logits behind the token at this place of `count` that are due are needed.
  bool needsLogits(std::size_t place, std::size_t count) const;
  /// The model has read these. `logits` gives those behind a place, where they were needed.
  void advance(const std::vector<Token>& read,
               const std::function<const float*(std::size_t)>& logits);
  bool isReadingPrompt() const { return !isFree() && memory_.size() < request_.prompt.size(); }

  /// Why it is to end before its time, if it is.
  std::optional<FinishReason> cutShort(std::chrono::steady_clock::time_point now) const {
    return isFree() ? std::nullopt : cutShortOf(request_, *sink_, now);
  }
  /// Ends the generation. What is in memory stays, unless the model has failed.
  void end(FinishReason reason, std::optional<Error> error = {});

 private:
  bool scoresPrompt() const { return request_.prompt_logprobs >= 0; }
  /// Whether the next token is chosen once `read` more are read.
  bool choosesAfter(std::size_t read) const {
    return memory_.size() + read >= request_.prompt.size();
  }
  void score(std::size_t read, const std::function<const float*(std::size_t)>& logits);
  void choose(const float* logits);
  GeneratedToken describe(Token token, const float* logits, int top) const;
  bool isShared(const GenerationRequest& request, const std::shared_ptr<Adapter>& adapter) const;

  const Model& model_;
  const int sequence_;
  std::vector<Token> memory_;  ///< in the model's memory
  std::uint64_t last_used_ = 0;
  std::string salt_;
  std::shared_ptr<Adapter> adapter_;

  GenerationRequest request_;
  std::shared_ptr<GenerationSink> sink_;
  std::optional<Sampler> sampler_;
  std::unique_ptr<Grammar> grammar_;
  std::optional<TextStream> text_;
  std::optional<Token> next_;           ///< chosen, not yet read by the model
  std::vector<GeneratedToken> scored_;  ///< of the prompt
  GenerationEnd end_;
};

}  // namespace spindle::engine
