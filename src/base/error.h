#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace spindle {

/// What went wrong, in domain terms. Only http::statusOf() knows what status a code becomes.
enum class ErrorCode {
  kInvalidSchema,    ///< the request does not match its schema; see violations()
  kInvalidArgument,  ///< well-formed, but against a domain rule
  kUnprocessable,    ///< well-formed, but names something the server cannot work with
  kUnauthenticated,
  kPermissionDenied,
  kNotFound,
  kMethodNotAllowed,
  kConflict,
  kPreconditionFailed,
  kTooLarge,
  kUnsupportedMediaType,
  kRateLimited,
  kQuotaExceeded,  ///< what may be spent has been
  kUnavailable,
  kStorageFull,  ///< the disk is; the message says what to do
  kUpstream,
  kTimeout,
  kInternal,
};

/// One step of a violation's location: a member name or a list position.
using LocStep = std::variant<std::string, std::int64_t>;

/// One broken rule of a request, in the terms of the 422 body.
struct Violation {
  std::string type;
  std::vector<LocStep> loc;
  std::string msg;
  std::string input = "null";  ///< the offending value, as JSON text
  std::string ctx;             ///< a JSON object, or empty for none
};

/// An expected failure, safe to show to the caller of the API: no paths, no SQL, no secrets.
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

  /// The same error with a word a program can test for, such as `last_admin`.
  Error because(std::string_view reason) &&;
  /// The same error with one more member for the body of the answer, its value given as JSON text.
  Error with(std::string_view member, std::string json) &&;

  ErrorCode code() const { return code_; }
  const std::string& message() const { return message_; }
  /// The specific machine-readable word, or empty when the code says it all.
  const std::string& reason() const { return reason_; }
  const std::vector<Violation>& violations() const { return violations_; }
  /// What with() added: names and JSON texts.
  const std::vector<std::pair<std::string, std::string>>& members() const { return members_; }

 private:
  ErrorCode code_;
  std::string message_;
  std::string reason_;
  std::vector<Violation> violations_;
  std::vector<std::pair<std::string, std::string>> members_;
};

}  // namespace spindle
