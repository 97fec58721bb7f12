#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace spindle {

/// Error category in domain terms. Only http::statusOf() maps it to an HTTP status.
enum class ErrorCode {
  kInvalidSchema,    ///< the request does not match its schema; see violations()
  kInvalidArgument,  ///< well-formed, but violates a domain rule
  kUnprocessable,    ///< well-formed, but refers to something that the server cannot process
  kUnauthenticated,
  kPermissionDenied,
  kNotFound,
  kMethodNotAllowed,
  kConflict,
  kPreconditionFailed,
  kTooLarge,
  kUnsupportedMediaType,
  kRateLimited,
  kQuotaExceeded,  ///< the quota or budget is used up
  kUnavailable,
  kStorageFull,  ///< the disk is full; the message contains advice
  kUpstream,
  kTimeout,
  kInternal,
};

/// One element of a violation's location: a member name or a list index.
using LocStep = std::variant<std::string, std::int64_t>;

/// One violated rule of a request, as in the 422 response body.
struct Violation {
  std::string type;
  std::vector<LocStep> loc;
  std::string msg;
  std::string input = "null";  ///< the invalid value, as JSON text
  std::string ctx;             ///< a JSON object, or empty for none
};

/// An expected failure. Its message is safe for API clients: no paths, no SQL, no secrets.
///
/// Deliberately not an aggregate: GCC 12 destroys aggregate temporaries twice when they share a
/// full-expression with co_await (docs/decisions/0001-coroutines-only-at-the-edge.md).
class Error {
 public:
  Error(ErrorCode code, std::string message) : code_(code), message_(std::move(message)) {}

  static Error invalid(std::vector<Violation> violations);
  static Error invalidArgument(std::string m) {
    return {ErrorCode::kInvalidArgument, std::move(m)};
  }
  static Error unauthenticated();
  static Error denied(std::string m) { return {ErrorCode::kPermissionDenied, std::move(m)}; }
  static Error notFound(std::string m) { return {ErrorCode::kNotFound, std::move(m)}; }
  static Error conflict(std::string m) { return {ErrorCode::kConflict, std::move(m)}; }
  static Error unavailable(std::string m) { return {ErrorCode::kUnavailable, std::move(m)}; }
  static Error internal(std::string m) { return {ErrorCode::kInternal, std::move(m)}; }

  /// Adds a machine-readable reason, such as `last_admin`.
  Error because(std::string_view reason) &&;
  /// Adds a member to the response body; `json` is its value as JSON text.
  Error with(std::string_view member, std::string json) &&;

  ErrorCode code() const { return code_; }
  const std::string& message() const { return message_; }
  /// Returns the machine-readable reason, or an empty text when the code suffices.
  const std::string& reason() const { return reason_; }
  const std::vector<Violation>& violations() const { return violations_; }
  /// Returns the members that with() added: names and JSON texts.
  const std::vector<std::pair<std::string, std::string>>& members() const { return members_; }

 private:
  ErrorCode code_;
  std::string message_;
  std::string reason_;
  std::vector<Violation> violations_;
  std::vector<std::pair<std::string, std::string>> members_;
};

}  // namespace spindle
