#include "http/router/router.h"

#include <algorithm>
#include <chrono>
#include <functional>
#include <map>
#include <unordered_map>

#include "base/core/check.h"
#include "base/core/mutex.h"
#include "base/core/no_blocking.h"
#include "base/core/request_origin.h"
#include "http/router/operation.h"
#include "http/router/path_pattern.h"

namespace spindle::http {
namespace {

constexpr std::size_t kUnmatchedBodyLimit = 1024UL * 1024;

/// Returns the policy of an unknown path. Its prefix selects the API and the error format.
RoutePolicy policyForUnknown(std::string_view path) {
  RoutePolicy policy;
  policy.errors = path.starts_with("/api/v1/") ? ErrorShape::kDetailWithCode : ErrorShape::kDetail;
  if (path.starts_with("/v1/")) policy.credentials = Credentials::kBearer;
  return policy;
}

/// Returns the next segment of a path that starts with a slash, and removes it from `path`.
std::string_view takeSegment(std::string_view& path) {
  path.remove_prefix(1);
  const std::size_t end = std::min(path.find('/'), path.size());
  const std::string_view segment = path.substr(0, end);
  path.remove_prefix(end);
  return segment;
}

bool isParameter(std::string_view segment) {
  return segment.size() > 2 && segment.front() == '{' && segment.back() == '}';
}

bool takesRest(std::string_view segment) {
  return isParameter(segment) && segment.ends_with(kRestOfPath);
}

/// Returns the origin of the changes that the handler of a request makes. The arguments must
/// outlive it.
RequestOrigin changeOriginOf(const Request& request, std::string_view client_address) {
  RequestOrigin origin;
  origin.address = client_address;
  origin.user_agent = request.headers.get("User-Agent");
  origin.request_id = request.request_id;
  if (request.principal) {
    origin.user_id = request.principal->user_id;
    origin.username = request.principal->username;
    const Principal& caller = *request.principal;
    origin.credential = caller.session_id.empty() ? caller.key_id : caller.session_id;
  }
  return origin;
}

Response invalidTarget(std::string_view location, ErrorShape shape) {
  Violation violation;
  violation.type = "value_error";
  violation.loc = {LocStep(std::string(location))};
  violation.msg = "Value error, percent-encoded UTF-8 without NUL expected";
  violation.ctx = R"({"error":{}})";
  return errorResponse(Error::invalid({std::move(violation)}), shape);
}

bool isData(std::string_view content_type) {
  return content_type.starts_with("application/json") || content_type.starts_with(kLinesType) ||
         content_type.starts_with("text/event-stream");
}

/// Sets the fields that stop a browser from misusing a response: stored content must not run as a
/// page of this server, and caches must not keep what a session may read.
void confine(const Request& request, Response& response) {
  if (response.later) return;
  Headers& headers = response.headers;
  const bool session = request.principal && !request.principal->session_id.empty();
  if (session && headers.find("Cache-Control") == nullptr) {
    headers.add("Cache-Control", "no-store");
  }
  const std::string* type = headers.find("Content-Type");
  if (type == nullptr || isData(*type)) return;
  if (headers.find("Content-Security-Policy") == nullptr) {
    headers.add("Content-Security-Policy", "default-src 'none'; sandbox");
  }
  if (headers.find("X-Content-Type-Options") == nullptr) {
    headers.add("X-Content-Type-Options", "nosniff");
  }
}

}  // namespace

/// One segment in the tree of paths. Fixed names have priority over parameters.
struct Router::Node {
  std::map<std::string, std::unique_ptr<Node>, std::less<>> fixed;
  std::unique_ptr<Node> parameter;
  bool takes_rest = false;  ///< a parameter that matches the rest of the path, with slashes
  std::map<Method, const Route*> routes;
};

struct Router::Match {
  const Route* route = nullptr;
  const Node* node = nullptr;  ///< set if the path exists, even without a route for the method
  std::vector<std::string_view> captures;
};

/// Cache of recently valid API keys, by a hash that is specific to this process. Selects the worker
/// share and memory budget of a request while its credential is pending; never authenticates a
/// request. Thread-safe.
class Router::RecentKeys {
 public:
  std::optional<Principal> find(std::string_view key) const {
    const MutexLock lock(mutex_);
    const auto found = known_.find(hash(key));
    if (found == known_.end() || Clock::now() - found->second.at > kRecently) return std::nullopt;
    return found->second.principal;
  }

  void add(std::string_view key, const Principal& principal) {
    const MutexLock lock(mutex_);
    if (known_.size() >= kMost) known_.clear();
    known_.insert_or_assign(hash(key), Known{principal, Clock::now()});
  }

  void remove(std::string_view key) {
    const MutexLock lock(mutex_);
    known_.erase(hash(key));
  }

 private:
  using Clock = std::chrono::steady_clock;
  static constexpr std::chrono::seconds kRecently{60};
  static constexpr std::size_t kMost = 10000;

  struct Known {
    Principal principal;
    Clock::time_point at;
  };

  static std::size_t hash(std::string_view key) { return std::hash<std::string_view>()(key); }

  mutable Mutex mutex_;
  std::unordered_map<std::size_t, Known> known_ SPINDLE_GUARDED_BY(mutex_);
};

Router::Router(RouterPorts ports, wire::Profile profile)
    : ports_(ports),
      profile_(profile),
      root_(std::make_unique<Node>()),
      recent_keys_(std::make_unique<RecentKeys>()) {}
Router::~Router() = default;

wire::Spelling Router::spellingFor(const Headers& headers) const {
  if (profile_ == wire::Profile::kNeutral) return wire::Spelling::kNeutral;
  const bool vendor = profile_ == wire::Profile::kVendor ||
                      std::any_of(headers.begin(), headers.end(), [](const Headers::Field& field) {
                        return wire::isVendorSdkHeader(field.first, field.second);
                      });
  return vendor ? wire::Spelling::kVendor : wire::Spelling::kNeutral;
}

Route& Router::addRoute(Route route) {
  Route& added = *routes_.emplace_back(std::make_unique<Route>(std::move(route)));
  Node* node = root_.get();
  std::string_view path = added.path;
  while (!path.empty()) {
    const std::string_view segment = takeSegment(path);
    std::unique_ptr<Node>& next =
        isParameter(segment) ? node->parameter : node->fixed[std::string(segment)];
    if (!next) next = std::make_unique<Node>();
    node = next.get();
    node->takes_rest = takesRest(segment);
  }
  const bool fresh = node->routes.emplace(added.method, &added).second;
  SPINDLE_ASSERT(fresh, "two routes for one method and path");
  return added;
}

Router::Match Router::find(Method method, std::string_view path) const {
  Match match;
  const Node* node = root_.get();
  while (node != nullptr && path.starts_with('/')) {
    const std::string_view segment = takeSegment(path);
    const auto fixed = node->fixed.find(segment);
    if (fixed != node->fixed.end()) {
      node = fixed->second.get();
    } else if (node->parameter && !segment.empty()) {
      node = node->parameter.get();
      if (node->takes_rest) {
        const std::size_t length = segment.size() + path.size();
        match.captures.emplace_back(segment.data(), length);
        path = {};
      } else {
        match.captures.push_back(segment);
      }
    } else {
      return match;
    }
  }
  if (node == nullptr || !path.empty() || node->routes.empty()) return match;
  match.node = node;
  const auto found = node->routes.find(method);
  if (found != node->routes.end()) match.route = found->second;
  return match;
}

Admission Router::admit(const Request& head) const {
  Admission admission;
  admission.body_limit = kUnmatchedBodyLimit;
  const Match match = find(head.method, head.path());
  if (match.route == nullptr) {
    const RoutePolicy policy = policyForUnknown(head.path());
    admission.errors = policy.errors;
    const bool asks_for_methods = match.node != nullptr && head.method == Method::kOptions;
    if (!asks_for_methods) admitCredential(policy, head, admission);
    return admission;
  }
  const RoutePolicy& policy = match.route->policy;
  admission.body_limit = policy.body_limit;
  admission.errors = policy.errors;
  admission.route = match.route->path;
  admission.try_on_io_thread = policy.try_on_io_thread;
  admission.uses_outbound_threads = policy.uses_outbound_threads;
  admitCredential(policy, head, admission);
  return admission;
}

/// The credential of a request: an API key or a session token.
struct Router::Credential {
  std::string text;  ///< empty: none
  bool session = false;

  /// Returns the key in RecentKeys. No API key contains a space.
  std::string recentKey() const { return session ? "session " + text : text; }
};

Router::Credential Router::credentialOf(const RoutePolicy& policy, const Request& request) const {
  Credential credential;
  credential.text = presentedKey(request.headers, policy.credentials);
  if (!credential.text.empty() || ports_.sessions == nullptr) return credential;
  credential.text = ports_.sessions->tokenOf(request);
  credential.session = !credential.text.empty();
  return credential;
}

Result<Principal> Router::check(const Credential& credential) const {
  if (credential.session) return ports_.sessions->authenticate(credential.text);
  if (credential.text.empty() || ports_.authenticator == nullptr) return Error::unauthenticated();
  return ports_.authenticator->authenticate(credential.text);
}

std::optional<Response> Router::refuseOtherSites(const RoutePolicy& policy,
                                                 const Request& request) const {
  if (ports_.sessions == nullptr) return std::nullopt;
  std::optional<Error> problem;
  if (policy.own_pages_only) {
    problem = ports_.sessions->site().problemOf(request);
  } else {
    const std::string_view token = ports_.sessions->tokenOf(request);
    // An open GET does not use the cookie. Other open requests are refused all the same, so that no
    // route depends on what another site sends with the cookies of a person.
    const bool unused = policy.credentials == Credentials::kOpen && request.method == Method::kGet;
    if (!token.empty() && !unused) problem = ports_.sessions->problemOf(request, token);
  }
  if (!problem) return std::nullopt;
  return errorResponse(*problem, policy.errors);
}

std::optional<Response> Router::refuseCredential(const RoutePolicy& policy,
                                                 const Request& request,
                                                 const Credential& credential,
                                                 const Error& error) const {
  if (error.code() != ErrorCode::kUnauthenticated) return errorResponse(error, policy.errors);
  const bool absent = credential.session ||
                      (credential.text.empty() && request.headers.find("Authorization") == nullptr);
  if (policy.credentials == Credentials::kOptional && absent) return std::nullopt;
  return unauthenticatedResponse(policy, request.headers);
}

void Router::admitCredential(const RoutePolicy& policy,
                             const Request& head,
                             Admission& admission) const {
  admission.refusal = refuseOtherSites(policy, head);
  if (admission.refusal || policy.credentials == Credentials::kOpen) return;
  const Credential credential = credentialOf(policy, head);
  NoBlocking nothing_waits;
  Result<Principal> principal = check(credential);
  if (nothing_waits.wasNeeded()) {
    admission.credential_pending = true;
    admission.presumed = recent_keys_->find(credential.recentKey());
  } else if (principal) {
    admission.principal = std::move(principal).value();
  } else {
    admission.refusal = refuseCredential(policy, head, credential, principal.error());
  }
}

std::optional<Response> Router::checkCredential(Request& head) const {
  const Match match = find(head.method, head.path());
  if (match.route != nullptr) return authenticate(match.route->policy, head);
  return authenticate(policyForUnknown(head.path()), head);
}

std::optional<Response> Router::handleOnIoThread(Request& request) const {
  // A request that moves to a worker would count twice against the rate limit.
  if (ports_.rate_limiter != nullptr && ports_.rate_limiter->enabled()) return std::nullopt;
  std::string body = request.body;
  const bool checked = request.principal.has_value();
  NoBlocking nothing_waits;
  Response response = handle(request);
  if (!nothing_waits.wasNeeded()) return response;
  request.body = std::move(body);
  if (!checked) request.principal.reset();
  return std::nullopt;
}

Response Router::handle(Request& request) const {
  const Match match = find(request.method, request.path());
  if (match.route == nullptr) return answerUnmatched(match, request);
  request.route = match.route->path;
  request.spelling = spellingFor(request.headers);
  Response response = dispatch(match, request);
  confine(request, response);
  return response;
}

Response Router::answerUnmatched(const Match& match, Request& request) const {
  const RoutePolicy policy = policyForUnknown(request.path());
  std::string allowed;
  if (match.node != nullptr) {
    for (const auto& [method, route] : match.node->routes) {
      allowed.append(allowed.empty() ? "" : ", ").append(nameOf(method));
      if (method == Method::kGet) allowed += ", HEAD";
    }
    allowed += ", OPTIONS";
  }
  if (match.node != nullptr && request.method == Method::kOptions) {
    Response response(204);
    response.headers.add("Allow", allowed);
    return response;
  }
  if (std::optional<Response> refusal = authenticate(policy, request)) return *std::move(refusal);
  if (match.node == nullptr) return errorResponse(Error::notFound("Not Found"), policy.errors);
  Response response =
      errorResponse(Error(ErrorCode::kMethodNotAllowed, "Method Not Allowed"), policy.errors);
  response.headers.add("Allow", allowed);
  return response;
}

std::optional<Response> Router::authenticate(const RoutePolicy& policy, Request& request) const {
  if (request.principal) return std::nullopt;
  if (std::optional<Response> refusal = refuseOtherSites(policy, request)) return refusal;
  if (policy.credentials == Credentials::kOpen) return std::nullopt;
  const Credential credential = credentialOf(policy, request);
  Result<Principal> principal = check(credential);
  if (principal) {
    request.principal = std::move(principal).value();
    recent_keys_->add(credential.recentKey(), *request.principal);
    return std::nullopt;
  }
  if (principal.error().code() == ErrorCode::kUnauthenticated) {
    recent_keys_->remove(credential.recentKey());
  }
  return refuseCredential(policy, request, credential, principal.error());
}

Response Router::dispatch(const Match& match, Request& request) const {
  const Route& route = *match.route;
  if (std::optional<Response> refusal = authenticate(route.policy, request)) return *refusal;
  const bool limited = ports_.rate_limiter != nullptr && ports_.rate_limiter->enabled() &&
                       request.principal.has_value();
  if (!limited) return run(route, match, request);
  const RateLimiter::Decision decision = ports_.rate_limiter->take(request.principal->key_id);
  Response response =
      decision.allowed
          ? run(route, match, request)
          : errorResponse(Error(ErrorCode::kRateLimited, "Too many requests, try again later."),
                          route.policy.errors);
  decision.describe(response.headers);
  return response;
}

Response Router::run(const Route& route, const Match& match, Request& request) const {
  std::vector<NamedText> path_parameters;
  std::string_view pattern = route.path;
  std::size_t captured = 0;
  while (!pattern.empty()) {
    const std::string_view segment = takeSegment(pattern);
    if (!isParameter(segment)) continue;
    std::optional<std::string> value = percentDecode(match.captures[captured++]);
    if (!value) return invalidTarget("path", route.policy.errors);
    const std::size_t around = takesRest(segment) ? 1 + kRestOfPath.size() : 2;
    path_parameters.emplace_back(segment.substr(1, segment.size() - around), *std::move(value));
  }
  const std::optional<QueryParameters> query = parseQuery(request.query());
  if (!query) return invalidTarget("query", route.policy.errors);
  const Context context{request, path_parameters, *query};
  const bool idempotent = route.policy.idempotent_posts && route.method == Method::kPost &&
                          ports_.idempotency != nullptr && request.principal.has_value() &&
                          request.headers.find("Idempotency-Key") != nullptr;
  const std::string address = ports_.sessions != nullptr
                                  ? ports_.sessions->site().clientAddress(request)
                                  : request.peer_address;
  const RequestOrigin origin = changeOriginOf(request, address);
  const RequestOriginScope scope(origin);
  if (!idempotent) return route.run(context);
  return runIdempotently(*ports_.idempotency, request, route.policy.errors,
                         [&route, &context] { return route.run(context); });
}

}  // namespace spindle::http
