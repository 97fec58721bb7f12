#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "base/core/mutex.h"
#include "evaluation/scoring/model_port.h"

namespace spindle::evaluation {

/// A fake model that returns scripted answers and records the requests.
class ModelForTest final : public ModelPort {
 public:
  using Reply = std::function<Result<ModelAnswer>(const ModelRequest& request)>;

  static ModelAnswer saying(std::string text) {
    return {std::move(text), "model-1", R"({"prompt_tokens":2,"completion_tokens":1})"};
  }
  /// Returns the same answer to every request.
  explicit ModelForTest(std::string text)
      : reply_([text = std::move(text)](const ModelRequest&) { return saying(text); }) {}
  explicit ModelForTest(Reply reply) : reply_(std::move(reply)) {}

  Result<ModelAnswer> complete(const ModelRequest& request, const std::stop_token& stop) override {
    if (stop.stop_requested()) return Error::unavailable("Stopped.");
    {
      const MutexLock lock(mutex_);
      asked_.push_back(request);
    }
    return reply_(request);
  }

  std::vector<ModelRequest> asked() {
    const MutexLock lock(mutex_);
    return asked_;
  }

 private:
  const Reply reply_;
  Mutex mutex_;
  std::vector<ModelRequest> asked_ SPINDLE_GUARDED_BY(mutex_);
};

}  // namespace spindle::evaluation
