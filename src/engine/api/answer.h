#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/core/mutex.h"
#include "base/core/result.h"
#include "engine/api/token_json.h"
#include "engine/runtime/generation.h"

namespace spindle::engine {

/// One answer of the model, before it is parsed or formatted.
struct RawAnswer {
  std::string text;
  std::vector<GeneratedToken> tokens;
  std::vector<GeneratedToken> prompt;  ///< with log probabilities, when requested
  GenerationEnd end;
};

/// Formats the chunks of a streamed response. Each method returns the data of the events to send
/// now. `usage` is set when every chunk shows the usage so far.
class StreamFormatter {
 public:
  using Events = std::vector<std::string>;
  using Usage = std::optional<CompletionUsage>;

  virtual ~StreamFormatter() = default;
  /// Called once per answer, before the other methods.
  virtual Events begin(std::size_t index, const Usage& usage) = 0;
  /// Called when the prompt is processed, if its log probabilities were requested.
  virtual Events prompt(std::size_t index,
                        std::vector<GeneratedToken> tokens,
                        const Usage& usage) = 0;
  virtual Events add(std::size_t index, GenerationDelta delta, const Usage& usage) = 0;
  virtual Events end(std::size_t index, const GenerationEnd& end, const Usage& usage) = 0;
  /// Returns the last chunk, with the usage of all answers.
  virtual std::string total(const CompletionUsage& usage) = 0;
};

/// Collects all answers of a completion that is not streamed. One thread calls the sinks.
class CollectedAnswers : public std::enable_shared_from_this<CollectedAnswers> {
 public:
  /// Receives all answers, or the first error. Called once, on the thread of the sinks.
  using Done = std::function<void(Result<std::vector<RawAnswer>>)>;

  CollectedAnswers(std::size_t answers, Done done);

  /// Returns the sink of one answer. The sink keeps this object alive.
  std::shared_ptr<GenerationSink> sink(std::size_t index);
  /// Cancels the completion: `done` is not called. Thread-safe.
  void abandon() { wanted_ = false; }

 private:
  class Sink;

  const Done done_;
  std::atomic<bool> wanted_{true};
  std::vector<RawAnswer> answers_;
  std::size_t left_;
};

/// Receives the events of a stream. Thread-safe; never blocks.
class EventSink {
 public:
  virtual ~EventSink() = default;
  /// Sends events, given by their data.
  virtual void send(const std::vector<std::string>& events) = 0;
  virtual void finish() = 0;
  /// Returns false when the client has disconnected.
  virtual bool isWanted() const = 0;
};

/// Streams all answers of a completion. One thread calls the sinks.
class StreamedAnswers : public std::enable_shared_from_this<StreamedAnswers> {
 public:
  struct Usage {
    bool at_end = false;
    bool always = false;
  };

  /// Each group of `per_prompt` consecutive answers shares a prompt. `prompt_tokens` is the sum
  /// over all prompts.
  StreamedAnswers(std::size_t answers,
                  std::size_t per_prompt,
                  std::int64_t prompt_tokens,
                  Usage usage,
                  std::unique_ptr<StreamFormatter> formatter,
                  std::shared_ptr<EventSink> out);

  std::shared_ptr<GenerationSink> sink(std::size_t index);

 private:
  class Sink;

  void begin(std::size_t index);
  void end(std::size_t index, const GenerationEnd& end);
  std::optional<CompletionUsage> shown() const;

  const std::size_t per_prompt_;
  const Usage usage_options_;
  const std::unique_ptr<StreamFormatter> formatter_;
  const std::shared_ptr<EventSink> out_;
  std::vector<bool> begun_;
  CompletionUsage usage_;
  std::size_t left_;
  bool failed_ = false;
};

/// Returns the usage of all answers. Each group of `per_prompt` consecutive answers shares a
/// prompt.
CompletionUsage usageOf(const std::vector<RawAnswer>& answers, std::size_t per_prompt);
/// Returns the error of a failed generation; nothing for a successful one.
std::optional<Error> problemOf(const GenerationEnd& end);

}  // namespace spindle::engine
