#pragma once

#include <optional>
#include <string>

#include "base/core/time.h"
#include "inference/catalogue/operation.h"
#include "inference/usage/usage.h"

namespace spindle::inference {

/// A completion to record as a call.
struct TracedCompletion {
  Operation operation = Operation::kChat;
  std::string project;  ///< entity/project
  std::string project_id;
  std::string user_id;
  std::string id;           ///< UUIDv7 of the call and of its usage record
  std::string traceparent;  ///< as the client sent it; empty: none
  std::string request;      ///< JSON
  std::string answer;       ///< JSON, or the events of a stream
  bool streamed = false;
  bool cut = false;  ///< `answer` contains only the end of the response
  std::string model;
  std::string upstream;
  std::string request_id;
  std::string failure;  ///< empty: success
  Timestamp started_at = {};
  Timestamp ended_at = {};
  std::optional<TokenUsage> tokens = {};
};

}  // namespace spindle::inference
