#pragma once

#include <stop_token>
#include <string>

#include "base/result.h"
#include "tracing/call_selection.h"

namespace spindle::evaluation {

/// A chat completion to be made for a project, on behalf of the user and the key that started the
/// job: their model access, limits and budgets apply.
struct ModelRequest {
  tracing::ProjectScope project;
  std::string user_id;
  std::string key_id;
  std::string upstream;  ///< which of the server's; empty: the default
  std::string model;
  std::string messages;           ///< JSON list
  std::string parameters = "{}";  ///< JSON object: `temperature` and the like
  bool judges = false;            ///< asked by a scorer, not for an output to score
};

struct ModelAnswer {
  std::string text;
  std::string model;         ///< as the upstream calls it
  std::string usage = "{}";  ///< JSON object as it came: `prompt_tokens` and the like
};

/// Where evaluations get their answers from; `app` says what stands behind it. Thread-safe; blocks
/// until the answer is whole.
class ModelPort {
 public:
  virtual ~ModelPort() = default;

  /// @return kRateLimited, kTimeout and kUpstream when it is worth asking again: `retry_after`
  /// among the error's members says for how many seconds to wait first; kUnavailable when it was
  /// stopped; kInvalidArgument when asking again is of no use.
  virtual Result<ModelAnswer> complete(const ModelRequest& request,
                                       const std::stop_token& stop) = 0;
};

}  // namespace spindle::evaluation
