#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "base/core/result.h"

namespace spindle::transfer {

/// The response of a server to one request.
struct ApiResponse {
  int status = 0;
  std::optional<std::chrono::seconds> retry_after = {};
  std::string body = {};

  bool ok() const { return status == 200; }
  /// Returns true if the request itself is invalid: a retry fails again, a smaller one may succeed.
  bool isInvalidRequest() const { return status == 400 || status == 413 || status == 422; }
  /// Returns true if the server asks for a later retry.
  bool asksForRetry() const { return status == 429 || status == 503; }
};

/// Converts a response other than 200 to an error with a message for people: `the server answered
/// 404: Project not found`.
Error toError(const ApiResponse& response);
/// Returns only the reason, from the body.
std::string reasonOf(const ApiResponse& response);

/// Client interface of the tracing API of a server. Calls block; for one thread at a time.
class CallApiClient {
 public:
  virtual ~CallApiClient() = default;

  /// Receives the next bytes of a response; an error ends the exchange.
  using Take = std::function<Result<void>(std::string_view bytes)>;

  /// Sends a request. @return any response, or the error of a failed connection.
  virtual Result<ApiResponse> post(const std::string& path, std::string body) = 0;
  /// Sends a request whose response may have any length: passes the body of a 200 to `take` as it
  /// arrives, and returns the response without it. @return as post(), or the error of `take`.
  virtual Result<ApiResponse> stream(const std::string& path,
                                     std::string body,
                                     const Take& take) = 0;
};

/// Waits for the given time. Tests pass a function that returns at once.
using SleepFunction = std::function<void(std::chrono::seconds)>;

/// Sends a request with `ask`, and retries while the server asks for a later retry. Waits for the
/// time in Retry-After, or else with an increasing back-off. Gives up after ten minutes and returns
/// the last response.
Result<ApiResponse> sendWithRetries(const SleepFunction& sleep_for,
                                    const std::function<Result<ApiResponse>()>& send);

}  // namespace spindle::transfer
