#pragma once

#include <stop_token>
#include <string>

#include "base/core/result.h"
#include "tracing/calls/call_query.h"

namespace spindle::evaluation {

/// A request for a chat completion in a project, on behalf of the user and the API key that started
/// the job. The model access, limits and budgets of both apply.
struct ModelRequest {
  tracing::ProjectScope project;
  std::string user_id;
  std::string key_id;
  std::string upstream;  ///< name of an upstream of the server; empty: the default
  std::string model;
  std::string messages;           ///< JSON list
  std::string parameters = "{}";  ///< JSON object: `temperature` and so on
  bool judges = false;            ///< true for a request of a judge, not of the evaluated model
};

struct ModelAnswer {
  std::string text;
  std::string model;         ///< model name in the response
  std::string usage = "{}";  ///< JSON object of the response: `prompt_tokens` and so on
};

/// A port through which evaluations request completions; `app` injects the implementation.
/// Implementations must be thread-safe.
class ModelPort {
 public:
  virtual ~ModelPort() = default;

  /// Blocks until the answer is complete. @return kRateLimited, kTimeout and kUpstream for errors
  /// that can be retried: the error member `retry_after` is the delay in seconds; kUnavailable if
  /// it was stopped; kInvalidArgument for errors that must not be retried.
  virtual Result<ModelAnswer> complete(const ModelRequest& request,
                                       const std::stop_token& stop) = 0;
};

}  // namespace spindle::evaluation
