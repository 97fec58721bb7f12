#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/mutex.h"
#include "base/result.h"
#include "engine/completion_json.h"
#include "engine/generation.h"

namespace spindle::engine {

/// One answer as it came from the model.
struct RawAnswer {
  std::string text;
  std::vector<GeneratedToken> tokens;
  std::vector<GeneratedToken> prompt;  ///< when its probabilities were asked for
  GenerationEnd end;
};

/// What the pieces of a stream look like. Each call gives the data of the events to send now, and
/// gets what was used so far when that is shown with every piece.
class StreamShape {
 public:
  using Events = std::vector<std::string>;
  using Usage = std::optional<CompletionUsage>;

  virtual ~StreamShape() = default;
  /// Before anything else of an answer.
  virtual Events begin(std::size_t index, const Usage& usage) = 0;
  /// The prompt was read, when its probabilities were asked for.
  virtual Events prompt(std::size_t index,
                        std::vector<GeneratedToken> tokens,
                        const Usage& usage) = 0;
  virtual Events add(std::size_t index, GenerationDelta delta, const Usage& usage) = 0;
  virtual Events end(std::size_t index, const GenerationEnd& end, const Usage& usage) = 0;
  /// What was used by all, at the end.
  virtual std::string total(const CompletionUsage& usage) = 0;
};

/// Collects all answers of a completion. The sinks are called by one thread.
class WholeAnswer : public std::enable_shared_from_this<WholeAnswer> {
 public:
  /// Gets all answers, or why there is none. Called once, on the thread of the sinks.
  using Done = std::function<void(Result<std::vector<RawAnswer>>)>;

  WholeAnswer(std::size_t answers, Done done);

  /// Of one answer; it keeps this alive.
  std::shared_ptr<GenerationSink> sink(std::size_t index);
  /// Nobody waits any more; `done` is not called. Thread-safe.
  void abandon() { wanted_ = false; }

 private:
  class Sink;

  const Done done_;
  std::atomic<bool> wanted_{true};
  std::vector<RawAnswer> answers_;
  std::size_t left_;
};

/// Where a stream's events go. Thread-safe; never blocks.
class EventOut {
 public:
  virtual ~EventOut() = default;
  /// The data of some events.
  virtual void send(const std::vector<std::string>& events) = 0;
  virtual void finish() = 0;
  /// False when nobody reads any more.
  virtual bool isWanted() const = 0;
};

/// Sends all answers of a completion as they come. Called by one thread.
class StreamedAnswer : public std::enable_shared_from_this<StreamedAnswer> {
 public:
  struct Usage {
    bool at_end = false;
    bool always = false;
  };

  /// `per_prompt` answers in a row share a prompt; all prompts together have `prompt_tokens`.
  StreamedAnswer(std::size_t answers,
                 std::size_t per_prompt,
                 std::int64_t prompt_tokens,
                 Usage usage,
                 std::unique_ptr<StreamShape> shape,
                 std::shared_ptr<EventOut> out);

  std::shared_ptr<GenerationSink> sink(std::size_t index);

 private:
  class Sink;

  void begin(std::size_t index);
  void end(std::size_t index, const GenerationEnd& end);
  std::optional<CompletionUsage> shown() const;

  const std::size_t per_prompt_;
  const Usage usage_options_;
  const std::unique_ptr<StreamShape> shape_;
  const std::shared_ptr<EventOut> out_;
  std::vector<bool> begun_;
  CompletionUsage usage_;
  std::size_t left_;
  bool failed_ = false;
};

/// What was used by answers, so many of which share each prompt.
CompletionUsage usageOf(const std::vector<RawAnswer>& answers, std::size_t per_prompt);
/// Why there is no answer, when there is none.
std::optional<Error> problemOf(const GenerationEnd& end);

}  // namespace spindle::engine
