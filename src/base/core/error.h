#pragma once

#include <cstdint>
#include <memory>
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
/// Small, so that functions that only forward errors stay small: everything but the code is
/// allocated, and the copies and the destructor of that part are compiled once. A moved-from error
/// keeps its code and has empty texts.
///
/// Deliberately not an aggregate: GCC 12 destroys aggregate temporaries twice when they share a
/// full-expression with co_await (docs/decisions/0001-coroutines-only-at-the-edge.md).
class Error {
 public:
  Error(ErrorCode code, std::string_view message);
  Error(const Error& other);
  Error& operator=(const Error& other);
  Error(Error&&) noexcept = default;
  Error& operator=(Error&&) noexcept = default;
  ~Error() = default;

  static Error invalid(std::vector<Violation> violations);
  static Error invalidArgument(std::string_view message);
  static Error unauthenticated();
  static Error denied(std::string_view message);
  static Error notFound(std::string_view message);
  static Error conflict(std::string_view message);
  static Error unavailable(std::string_view message);
  static Error internal(std::string_view message);

  /// Adds a machine-readable reason, such as `last_admin`.
  Error because(std::string_view reason) &&;
  /// Adds a member to the response body; `json` is its value as JSON text.
  Error with(std::string_view member, std::string json) &&;

  ErrorCode code() const { return code_; }
  const std::string& message() const;
  /// Returns the machine-readable reason, or an empty text when the code suffices.
  const std::string& reason() const;
  const std::vector<Violation>& violations() const;
  /// Returns the members that with() added: names and JSON texts.
  const std::vector<std::pair<std::string, std::string>>& members() const;

 private:
  template <class T>
  friend class Result;
  struct Details;
  struct DeleteDetails {
    void operator()(Details* details) const noexcept;
  };

  /// The error of a Result that has a value.
  Error() = default;
  const Details& details() const;
  Details& editableDetails();

  ErrorCode code_ = ErrorCode::kInternal;
  std::unique_ptr<Details, DeleteDetails> details_;
};

}  // namespace spindle
