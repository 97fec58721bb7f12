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
#include "engine/chat_plan.h"
#include "engine/completion_json.h"
#include "engine/generation.h"

namespace spindle::engine {

/// What both ways of answering have in common.
struct AnswerFrame {
  CompletionHead head;
  ChatPlan plan;
  TokenView view;
  bool shows_prompt_ids = false;
  bool shows_reasoning = true;
  std::function<std::string()> new_call_id;
};

/// Waits for all answers of a completion, and gives them whole. The sinks are called by one thread,
/// wait() by another.
class WholeAnswer : public std::enable_shared_from_this<WholeAnswer> {
 public:
  explicit WholeAnswer(AnswerFrame frame);

  /// Of one answer; it keeps this alive.
  std::shared_ptr<GenerationSink> sink(std::int64_t index);
  /// @return the completion as JSON; kTimeout, kUnavailable, or what the model failed with
  Result<std::string> wait();
  /// Nobody waits any more.
  void abandon() { wanted_ = false; }

 private:
  class Sink;

  AnswerFrame frame_;
  std::atomic<bool> wanted_{true};
  Mutex mutex_;
  Condition changed_;
  std::vector<CompletionChoice> choices_ SPINDLE_GUARDED_BY(mutex_);
  std::vector<std::string> texts_ SPINDLE_GUARDED_BY(mutex_);
  std::size_t left_ SPINDLE_GUARDED_BY(mutex_);
};

/// Where a stream's events go. Thread-safe; never blocks.
class EventOut {
 public:
  virtual ~EventOut() = default;
  /// The data of one event.
  virtual void send(const std::string& data) = 0;
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

  StreamedAnswer(AnswerFrame frame, Usage usage, std::shared_ptr<EventOut> out);

  std::shared_ptr<GenerationSink> sink(std::int64_t index);

 private:
  class Sink;
  struct Choice {
    std::string text;
    ChatReply shown;
    std::vector<std::string> call_ids;
    std::int64_t tokens = 0;
    bool begun = false;
  };

  void begin(std::int64_t index);
  void take(std::int64_t index, GenerationDelta delta);
  void end(std::int64_t index, const GenerationEnd& end);
  CompletionDelta changeOf(Choice& choice, const ChatReply& reply) const;
  void send(const CompletionDelta& delta, bool first = false);

  AnswerFrame frame_;
  const Usage usage_options_;
  const std::shared_ptr<EventOut> out_;
  std::vector<Choice> choices_;
  CompletionUsage usage_;
  std::size_t left_;
  bool failed_ = false;
};

/// `stop`, `length` or `tool_calls`.
std::string finishWord(FinishReason reason, bool called, bool names_tool);
/// Why there is no answer, when there is none.
std::optional<Error> problemOf(const GenerationEnd& end);

}  // namespace spindle::engine
