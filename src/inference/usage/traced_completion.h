#pragma once

#include <optional>
#include <string>

#include "base/core/time.h"
#include "inference/catalogue/operation.h"
#include "inference/usage/usage.h"

namespace spindle::inference {

/// The principal of a request, and the project that its usage counts for.
struct GatewayCaller {
  std::string user_id;  ///< required, also for requests that the server itself sends
  std::string key_id;
  std::string team_id;
  std::string project_id;
  std::string project;  ///< entity/project
  std::string request_id;
  std::string traceparent = {};  ///< as the client sent it; empty: none
};

/// A completion to record as a call.
struct TracedCompletion : GatewayCaller {
  Operation operation = Operation::kChat;
  std::string id;       ///< UUIDv7 of the call and of its usage record
  std::string request;  ///< JSON
  std::string answer;   ///< JSON, or the events of a stream
  bool streamed = false;
  std::optional<bool> output_cut = {};  ///< true: `answer` contains only the end of the response
  std::string model;
  std::string upstream;
  std::string failure;  ///< empty: success
  Timestamp started_at = {};
  Timestamp ended_at = {};
  std::optional<TokenUsage> tokens = {};
};

}  // namespace spindle::inference
