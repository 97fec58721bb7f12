#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "http/browser/session_cookies.h"
#include "http/message/message.h"
#include "http/router/authentication.h"
#include "http/router/idempotency.h"
#include "http/router/rate_limiter.h"
#include "http/router/route.h"
#include "wire/profile.h"

namespace spindle::http {

/// Interfaces that other areas implement for the router, which they must outlive. Null if absent.
struct RouterPorts {
  const Authenticator* authenticator = nullptr;
  IdempotencyRecords* idempotency = nullptr;
  RateLimiter* rate_limiter = nullptr;
  const SessionCookies* sessions = nullptr;
};

/// Finds the route of a request and runs the same steps for every request: requests of other sites
/// (403), credential (401), rate limit (429), idempotency, schema (422), handler. Unknown paths
/// require a credential too, so that clients without one cannot discover which paths exist. Routes
/// are added at start-up; afterwards the router is immutable and thread-safe.
class Router final : public Service {
 public:
  explicit Router(RouterPorts ports, wire::Profile profile = wire::Profile::kAuto);
  ~Router() override;

  /// Adds a route. Most routes are added through a RouteGroup; streams, uploads and other media
  /// types are not. The method, the path and the policy must not be changed afterwards.
  Route& addRoute(Route route);

  Admission admit(const Request& head) const override;
  std::optional<Response> checkCredential(Request& head) const override;
  std::optional<Response> handleOnIoThread(Request& request) const override;
  Response handle(Request& request) const override;

  /// Returns the routes in the order in which they were added.
  const std::vector<std::unique_ptr<Route>>& routes() const { return routes_; }

 private:
  struct Node;
  struct Match;
  class RecentKeys;

  wire::Spelling spellingFor(const Headers& headers) const;
  Match find(Method method, std::string_view path) const;
  Response dispatch(const Match& match, Request& request) const;
  Response answerUnmatched(const Match& match, Request& request) const;
  struct Credential;
  /// Returns the API key or the session token of a request, which must outlive it.
  Credential credentialOf(const RoutePolicy& policy, const Request& request) const;
  Result<Principal> check(const Credential& credential) const;
  /// Returns the 403 response to a request with a session cookie that another site may have caused.
  std::optional<Response> refuseOtherSites(const RoutePolicy& policy, const Request& request) const;
  /// Returns the response to a request whose credential is missing or was not accepted, or nothing
  /// if the route does not need one.
  std::optional<Response> refuseCredential(const RoutePolicy& policy,
                                           const Request& request,
                                           const Credential& credential,
                                           const Error& error) const;
  /// Checks the credential without blocking, if the policy requires one.
  void admitCredential(const RoutePolicy& policy, const Request& head, Admission& admission) const;
  /// Sets the principal if it is not set yet. Returns a response if the request must be refused.
  std::optional<Response> authenticate(const RoutePolicy& policy, Request& request) const;
  Response run(const Route& route, const Match& match, Request& request) const;

  RouterPorts ports_;
  wire::Profile profile_;
  std::vector<std::unique_ptr<Route>> routes_;
  std::unique_ptr<Node> root_;
  const std::unique_ptr<RecentKeys> recent_keys_;
};

}  // namespace spindle::http
