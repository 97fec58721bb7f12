#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/core/ascii.h"
#include "base/core/result.h"
#include "wire/spelling.h"

namespace spindle::http {

class BodyStream;
class DeferredResponse;

enum class Method { kGet, kHead, kPost, kPut, kPatch, kDelete, kOptions, kOther };

std::string_view nameOf(Method method);
Method methodOf(std::string_view name);

/// Header fields in message order. Names are case-insensitive.
class Headers {
 public:
  using Field = std::pair<std::string, std::string>;

  /// Returns the first value of a field, or null if the field is absent.
  const std::string* find(std::string_view name) const;
  std::string_view get(std::string_view name) const;
  void add(std::string_view name, std::string_view value) { fields_.emplace_back(name, value); }
  /// Replaces all fields of that name with one field.
  void set(std::string_view name, std::string_view value);
  void remove(std::string_view name);

  auto begin() const { return fields_.begin(); }
  auto end() const { return fields_.end(); }
  std::size_t size() const { return fields_.size(); }

 private:
  std::vector<Field> fields_;
};

bool equalIgnoringCase(std::string_view a, std::string_view b);
using spindle::trimmed;  ///< removes OWS of RFC 9110

/// The user or service account that the credential of a request identifies. The identity area
/// decides the permissions.
struct Principal {
  std::string user_id;
  std::string username;
  /// The public part of the API key; limits and usage count for it. A session that was not opened
  /// with a key has `session:` and the id of the user.
  std::string key_id;
  std::string session_id;  ///< empty for a request with an API key
  std::string team_id;     ///< set if the user has exactly one team; else empty

  /// Returns the class of this principal's requests in the fair sharing of workers (WorkerPool).
  const std::string& shareClass() const { return team_id.empty() ? user_id : team_id; }
};

/// A request, independent of sockets. The server fills all members except those marked below.
struct Request {
  Method method = Method::kGet;
  std::string target;  ///< as sent: path and query, percent-encoded
  Headers headers;
  std::string body;          ///< complete; transfer and content codings are decoded
  std::string peer_address;  ///< of the socket
  std::string request_id;    ///< the client's X-Request-Id if it is valid, else a new one
  bool secure = false;       ///< received over TLS

  // Filled by the service during processing, for the access log and the metrics.
  std::string_view route;  ///< the path template, in storage that outlives the request
  /// Set by the server if it checked the credential after the head, else by the service.
  std::optional<Principal> principal;
  wire::Spelling spelling = wire::Spelling::kNeutral;  ///< wire profile of the response

  /// Returns the path of the target, percent-encoded.
  std::string_view path() const;
  /// Returns the query of the target, percent-encoded, without the question mark.
  std::string_view query() const;
};

/// A response: with a complete body, with a stream that the server sends as fast as the client
/// reads, or deferred until a producer completes it.
struct Response {
  Response() = default;
  explicit Response(int status_code) : status(status_code) {}

  int status = 200;
  Headers headers;
  std::string body;
  std::shared_ptr<BodyStream> stream;  ///< shared by the session and the producer; null if none
  std::shared_ptr<DeferredResponse> later;  ///< replaces status and body; null if none
};

/// The format of the error bodies of an API. Schema violations have one format in all APIs.
enum class ErrorShape {
  kReason,          ///< {"reason": "…"}: tracing
  kDetail,          ///< {"detail": "…"}: training
  kDetailWithCode,  ///< {"detail": "…", "code": "…"}: management
  kOpenAi,          ///< {"error": {"message": "…", "type": "…", …}}: completions
};

/// The decision of a service about a request after its head is known.
struct Admission {
  Admission() = default;

  std::size_t body_limit = 0;               ///< maximum bytes of the decoded body
  ErrorShape errors = ErrorShape::kDetail;  ///< format of errors that the server itself sends
  std::optional<Response> refusal;          ///< send this now, without reading the body
  std::string_view route;         ///< route of a refusal, for the log and the metrics; may be empty
  bool try_on_io_thread = false;  ///< call handleOnIoThread() before handle()
  /// The handler waits for other servers: it runs on the outbound threads.
  bool uses_outbound_threads = false;
  /// Set if the credential was checked and is valid.
  std::optional<Principal> principal;
  /// The check of the credential would block: call checkCredential() on a worker.
  bool credential_pending = false;
  /// The likely principal of a pending credential that was valid recently. Used for worker shares
  /// and memory budgets only.
  std::optional<Principal> presumed;
};

/// The interface between the server and the application. Implementations are thread-safe.
/// HEAD requests arrive as kGet; the server omits the body and keeps its length.
class Service {
 public:
  virtual ~Service() = default;

  /// Called on an I/O thread after the head has been read (`body` is empty). Must not block.
  virtual Admission admit(const Request& head) const = 0;

  /// Called on a worker thread, before the body is read, if admit() left the credential pending.
  /// Sets the principal of the request. @return the refusal if the credential is invalid.
  virtual std::optional<Response> checkCredential(Request& /*head*/) const { return std::nullopt; }

  /// Called on an I/O thread with the complete request if admit() requested it. Saves the hand-over
  /// to a worker and back. Must be fast and must not block. @return nothing, with the request
  /// unchanged, if it would have to block; the server then calls handle().
  virtual std::optional<Response> handleOnIoThread(Request& /*request*/) const {
    return std::nullopt;
  }

  /// Called on a worker thread with the complete request. May block on storage. Must not throw; the
  /// server responds with 500 if it does.
  virtual Response handle(Request& request) const = 0;
};

}  // namespace spindle::http
