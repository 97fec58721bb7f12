#pragma once

#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "base/core/error.h"
#include "engine/api/answer.h"
#include "engine/runtime/model_for_test.h"
#include "engine/runtime/scheduler.h"
#include "json/document.h"

namespace spindle::engine {

inline constexpr std::int64_t kFirst = 0;  ///< index of the first item of a JSON array

/// Collects the events of a stream and waits for its end.
class EventsForTest final : public EventSink {
 public:
  void send(const std::vector<std::string>& events) override {
    const std::lock_guard lock(mutex_);
    events_.insert(events_.end(), events.begin(), events.end());
  }
  void finish() override {
    const std::lock_guard lock(mutex_);
    finished_ = true;
    changed_.notify_all();
  }
  bool isWanted() const override { return true; }

  std::vector<std::string> all() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return finished_; });
    return events_;
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<std::string> events_;
  bool finished_ = false;
};

/// Submits all requests to the scheduler and returns their answers.
inline std::vector<RawAnswer> collected(Scheduler& scheduler,
                                        const std::vector<GenerationRequest>& requests) {
  std::mutex mutex;
  std::condition_variable changed;
  bool done = false;
  std::vector<RawAnswer> all;
  const auto answer = std::make_shared<CollectedAnswers>(
      requests.size(), [&](Result<std::vector<RawAnswer>> answers) {
        const std::lock_guard lock(mutex);
        EXPECT_TRUE(answers) << answers.error().message();
        if (answers) all = *std::move(answers);
        done = true;
        changed.notify_all();
      });
  for (std::size_t i = 0; i < requests.size(); ++i) {
    const Result<void> submitted = scheduler.submit(requests[i], answer->sink(i));
    EXPECT_TRUE(submitted) << submitted.error().message();
  }
  std::unique_lock lock(mutex);
  changed.wait(lock, [&done] { return done; });
  return all;
}

/// Submits all requests to the scheduler and returns the events of their stream. `answers_to`
/// creates the stream that sends its events to a sink.
template <class AnswersTo>
std::vector<std::string> eventsOf(Scheduler& scheduler,
                                  const std::vector<GenerationRequest>& requests,
                                  AnswersTo answers_to) {
  const auto out = std::make_shared<EventsForTest>();
  const std::shared_ptr<StreamedAnswers> answers = answers_to(out);
  for (std::size_t i = 0; i < requests.size(); ++i)
    EXPECT_TRUE(scheduler.submit(requests[i], answers->sink(i)));
  return out->all();
}

/// Returns the value at a path of member names and array indexes.
inline std::string at(const std::string& text, const std::vector<LocStep>& path) {
  const auto parsed = json::Document::parse(text);
  const auto* document = std::get_if<json::Document>(&parsed);
  if (document == nullptr) return "no JSON";
  json::Node node = document->root();
  for (const LocStep& step : path) {
    if (const auto* name = std::get_if<std::string>(&step)) {
      const std::optional<json::Node> member = node.find(*name);
      if (!member) return "nothing";
      node = *member;
    } else {
      std::int64_t left = std::get<std::int64_t>(step);
      for (const json::Node item : node) {
        node = item;
        if (left-- == 0) break;
      }
    }
  }
  return node.isString() ? node.text() : std::string(node.raw());
}

}  // namespace spindle::engine
