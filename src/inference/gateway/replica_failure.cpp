#include "inference/gateway/replica_failure.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <string_view>
#include <system_error>

namespace spindle::inference {

bool isGood(int status) { return status >= 200 && status < 300; }

bool isReplicaFailure(int status) {
  return status == 401 || status == 403 || status == 408 || status == 429 || status >= 500 ||
         status < 200 || (status >= 300 && status < 400);
}

std::optional<std::chrono::milliseconds> retryAfter(const http::Response& head) {
  const std::string_view text = head.headers.get("Retry-After");
  std::int64_t seconds = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), seconds);
  if (text.empty() || error != std::errc() || end != text.data() + text.size() || seconds < 0)
    return std::nullopt;
  return std::chrono::seconds(std::min<std::int64_t>(seconds, 3600));
}

FailureKind kindOf(const Error& error) {
  const bool unconnected = error.reason() == "dns_error" || error.reason() == "connect_error" ||
                           error.reason() == "tls_error";
  if (unconnected) return FailureKind::kConnect;
  return error.code() == ErrorCode::kTimeout ? FailureKind::kTimeout : FailureKind::kBroken;
}

}  // namespace spindle::inference
