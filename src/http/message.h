#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "wire/spelling.h"

namespace spindle::http {

class BodyStream;
class DeferredResponse;

enum class Method { kGet, kHead, kPost, kPut, kPatch, kDelete, kOptions, kOther };

std::string_view nameOf(Method method);
Method methodOf(std::string_view name);

/// Header fields in the order they came. Names compare without regard to case.
class Headers {
 public:
  using Field = std::pair<std::string, std::string>;

  /// The first value of a field, or null when it is absent.
  const std::string* find(std::string_view name) const;
  std::string_view get(std::string_view name) const;
  void add(std::string_view name, std::string_view value) { fields_.emplace_back(name, value); }
  /// Replaces every field of that name by one.
  void set(std::string_view name, std::string_view value);
  void remove(std::string_view name);

  auto begin() const { return fields_.begin(); }
  auto end() const { return fields_.end(); }
  std::size_t size() const { return fields_.size(); }

 private:
  std::vector<Field> fields_;
};

bool equalIgnoringCase(std::string_view a, std::string_view b);

/// Who is behind a request, as its credential says. What they may do is decided in identity.
struct Principal {
  std::string user_id;
  std::string username;
  std::string key_id;
  std::string team_id;  ///< of a user with exactly one team; else empty

  /// The class that requests of this principal belong to when workers are shared out.
  const std::string& shareClass() const { return team_id.empty() ? user_id : team_id; }
};

/// A request, free of sockets. The server fills all but what is marked.
struct Request {
  Method method = Method::kGet;
  std::string target;  ///< as sent: path and query, percent-encoded
  Headers headers;
  std::string body;          ///< whole, with transfer and content coding undone
  std::string peer_address;  ///< of the socket
  std::string request_id;    ///< the client's X-Request-Id when it is usable, else a new one
  bool secure = false;       ///< came over TLS

  // Filled by the service while it works, for the access log and the metrics.
  std::string_view route;  ///< the path template, in storage that outlives the request
  /// Set by the server when the credential was checked with the head, else by the service.
  std::optional<Principal> principal;
  wire::Spelling spelling = wire::Spelling::kNeutral;  ///< of the answer

  /// The path part of the target, still percent-encoded.
  std::string_view path() const;
  /// The query part of the target, without the question mark.
  std::string_view query() const;
};

/// An answer: a whole body, a stream that the server drains as the client reads, or the promise
/// of one of them.
struct Response {
  Response() = default;
  explicit Response(int status_code) : status(status_code) {}

  int status = 200;
  Headers headers;
  std::string body;
  std::shared_ptr<BodyStream> stream;  ///< shared by the session and the producer; null for none
  std::shared_ptr<DeferredResponse> later;  ///< in place of status and body; null for none
};

/// How a family of endpoints words its errors. Schema violations look the same everywhere.
enum class ErrorShape {
  kReason,          ///< {"reason": "…"}: tracing
  kDetail,          ///< {"detail": "…"}: training
  kDetailWithCode,  ///< {"detail": "…", "code": "…"}: management
  kOpenAi,          ///< {"error": {"message": "…", "type": "…", …}}: completions
};

/// What a service says once the head of a request is known.
struct Admission {
  Admission() = default;

  std::size_t body_limit = 0;               ///< bytes of the decoded body
  ErrorShape errors = ErrorShape::kDetail;  ///< for what the server itself refuses afterwards
  std::optional<Response> refusal;          ///< answer this now, without reading the body
  std::string_view route;  ///< of a refusal, for the log and the metrics; may stay empty
  bool at_once = false;    ///< worth asking handleAtOnce() for
  /// The route waits for other servers: its handler runs on threads of its own.
  bool waits_outside = false;
  /// Set when the credential was checked and is good.
  std::optional<Principal> principal;
  /// The credential cannot be checked here without blocking: ask checkCredential() on a worker.
  bool credential_pending = false;
  /// Of a pending credential that was good a moment ago: the likely principal, for shares and
  /// budgets only.
  std::optional<Principal> presumed;
};

/// The application as the server sees it. Implementations are thread-safe.
/// HEAD arrives as kGet: the server leaves the body out and keeps its length.
class Service {
 public:
  virtual ~Service() = default;

  /// Called on an I/O thread when the head has been read (`body` is empty). Must not block.
  virtual Admission admit(const Request& head) const = 0;

  /// Called on a worker thread, before the body is read, where admit() left the credential pending.
  /// Sets the principal of the request. @return the refusal of a wrong credential.
  virtual std::optional<Response> checkCredential(Request& /*head*/) const { return std::nullopt; }

  /// Called on an I/O thread with the whole request, where admit() said so, to spare it the way to
  /// a worker and back. Must not block, and be quick. @return nothing, and the request as it was,
  /// when it would have to: handle() is called then.
  virtual std::optional<Response> handleAtOnce(Request& /*request*/) const { return std::nullopt; }

  /// Called on a worker thread with the whole request. May block on storage. Must not throw; the
  /// server answers 500 should it happen all the same.
  virtual Response handle(Request& request) const = 0;
};

}  // namespace spindle::http
