#pragma once

#include <chrono>
#include <functional>
#include <stop_token>

#include "evaluation/scoring/model_port.h"

namespace spindle::evaluation {

/// Waits for a time. Returns false immediately when stopped.
using Wait = std::function<bool(std::chrono::milliseconds time, const std::stop_token& stop)>;
/// The Wait for production: blocks the thread.
bool waitOrStop(std::chrono::milliseconds time, const std::stop_token& stop);

struct RetryOptions {
  int retries = 4;
  std::chrono::milliseconds first{250};  ///< first back-off; each one doubles
  std::chrono::milliseconds longest{30'000};
};

/// Retries requests after 429, 5xx, timeouts and lost connections, with exponential back-off.
/// Respects the Retry-After of the upstream, up to `longest`. Thread-safe.
class RetryingModel final : public ModelPort {
 public:
  /// The model must outlive this object.
  RetryingModel(ModelPort& model, RetryOptions options, Wait wait = waitOrStop)
      : model_(model), options_(options), wait_(std::move(wait)) {}

  Result<ModelAnswer> complete(const ModelRequest& request, const std::stop_token& stop) override;

 private:
  ModelPort& model_;
  const RetryOptions options_;
  const Wait wait_;
};

}  // namespace spindle::evaluation
