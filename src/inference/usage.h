#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

#include "base/time.h"

namespace spindle::inference {

/// Tokens of one request, as whoever answered it counted them.
struct TokenUsage {
  std::int64_t prompt = 0;      ///< cached ones included
  std::int64_t completion = 0;  ///< reasoning ones included
  std::int64_t cached = 0;
  std::int64_t reasoning = 0;

  bool operator==(const TokenUsage&) const = default;
};

/// One request to the gateway, when it is over.
struct UsageRecord {
  std::string id;  ///< UUIDv7
  std::string request_id;
  Timestamp started_at = {};
  std::string team_id;
  std::string project_id;
  std::string user_id;
  std::string key_id;
  std::string model;      ///< as asked for
  std::string upstream;   ///< name of the one that answered; `engine` for this machine; empty: none
  std::string operation;  ///< `chat`, `completion`, `embedding`
  int status = 0;         ///< of the answer; 499 when the client left before it
  bool streamed = false;
  bool counted = false;  ///< the answer told its tokens
  TokenUsage tokens = {};
  double cost = 0;  ///< at the prices of the moment; reports use those of today
  std::chrono::microseconds latency{0};
  std::optional<std::chrono::microseconds> first_token = {};
  std::int64_t attempts = 1;
};

}  // namespace spindle::inference
