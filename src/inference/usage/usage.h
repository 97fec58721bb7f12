#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

#include "base/core/time.h"

namespace spindle::inference {

/// The tokens of one request, as the engine or upstream reported them.
struct TokenUsage {
  std::int64_t prompt = 0;      ///< including cached tokens
  std::int64_t completion = 0;  ///< including reasoning tokens
  std::int64_t cached = 0;
  std::int64_t reasoning = 0;

  bool operator==(const TokenUsage&) const = default;
};

/// The usage of one finished request to the gateway.
struct UsageRecord {
  std::string id;  ///< UUIDv7
  std::string request_id;
  Timestamp started_at = {};
  std::string team_id;
  std::string project_id;
  std::string user_id;
  std::string key_id;
  std::string model;      ///< as the client requested it
  std::string upstream;   ///< the upstream that responded; `engine` for an engine; empty: none
  std::string operation;  ///< `chat`, `completion`, `embedding`
  int status = 0;         ///< HTTP status; 499 if the client disconnected before the response
  bool streamed = false;
  bool counted = false;  ///< the response contained its usage
  TokenUsage tokens = {};
  double cost = 0;  ///< at the prices of that time; reports use current prices
  std::chrono::microseconds latency{0};
  std::optional<std::chrono::microseconds> first_token = {};
  std::int64_t attempts = 1;
};

}  // namespace spindle::inference
