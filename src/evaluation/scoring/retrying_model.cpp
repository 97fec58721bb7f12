#include "evaluation/scoring/retrying_model.h"

#include <algorithm>
#include <condition_variable>
#include <mutex>
#include <string>
#include <utility>

#include "evaluation/scoring/scorer_text.h"

namespace spindle::evaluation {
namespace {

using std::chrono::milliseconds;

bool isRetryable(const Error& error) {
  return error.code() == ErrorCode::kRateLimited || error.code() == ErrorCode::kTimeout ||
         error.code() == ErrorCode::kUpstream;
}

/// Returns the Retry-After of the upstream, at most `longest`; zero if there is none.
milliseconds upstreamRetryAfter(const Error& error, milliseconds longest) {
  for (const auto& [name, json] : error.members()) {
    if (name != "retry_after") continue;
    const double seconds = numberIn(json).value_or(0);
    if (seconds * 1000 >= static_cast<double>(longest.count())) return longest;
    return milliseconds(static_cast<std::int64_t>(std::max(0.0, seconds) * 1000));
  }
  return milliseconds(0);
}

}  // namespace

bool waitOrStop(milliseconds time, const std::stop_token& stop) {
  std::mutex mutex;
  std::condition_variable_any stopped;
  std::unique_lock lock(mutex);
  stopped.wait_for(lock, stop, time, [] { return false; });
  return !stop.stop_requested();
}

Result<ModelAnswer> RetryingModel::complete(const ModelRequest& request,
                                            const std::stop_token& stop) {
  milliseconds pause = options_.first;
  for (int tried = 0;; ++tried) {
    Result<ModelAnswer> answer = model_.complete(request, stop);
    if (answer || !isRetryable(answer.error()) || tried >= options_.retries) return answer;
    const milliseconds time = std::max(std::min(pause, options_.longest),
                                       upstreamRetryAfter(answer.error(), options_.longest));
    if (!wait_(time, stop)) return Error::unavailable("Stopped.");
    pause = std::min(pause * 2, options_.longest);
  }
}

}  // namespace spindle::evaluation
