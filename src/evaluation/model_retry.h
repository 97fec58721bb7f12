#pragma once

#include <chrono>
#include <functional>
#include <stop_token>

#include "evaluation/model_port.h"

namespace spindle::evaluation {

/// Waits. @return false at once when it is stopped.
using Wait = std::function<bool(std::chrono::milliseconds time, const std::stop_token& stop)>;
/// The one that really waits.
bool waitOrStop(std::chrono::milliseconds time, const std::stop_token& stop);

struct RetryOptions {
  int retries = 4;
  std::chrono::milliseconds first{250};  ///< each pause is twice the one before
  std::chrono::milliseconds longest{30'000};
};

/// Asks again after 429, 5xx, timeouts and lost connections, with growing pauses; a pause that the
/// upstream asks for is kept, up to the longest. Thread-safe.
class RetryingModel final : public ModelPort {
 public:
  /// The model must outlive this.
  RetryingModel(ModelPort& model, RetryOptions options, Wait wait = waitOrStop)
      : model_(model), options_(options), wait_(std::move(wait)) {}

  Result<ModelAnswer> complete(const ModelRequest& request, const std::stop_token& stop) override;

 private:
  ModelPort& model_;
  const RetryOptions options_;
  const Wait wait_;
};

}  // namespace spindle::evaluation
