#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "http/message/message.h"
#include "http/router/error_body.h"
#include "http/router/parameters.h"
#include "json/document.h"

namespace spindle::http {

/// The credentials that a route accepts. All except kOpen also accept the cookie of a session.
/// kBasicBearerOrHeader also accepts the API key in a separate header, because some exporters can
/// send nothing else. kOptional is kBasicOrBearer for a route that also works without a credential:
/// the request then has no principal, and an ended session counts as none.
enum class Credentials { kOpen, kOptional, kBearer, kBasicOrBearer, kBasicBearerOrHeader };

/// Settings that the routes of one API share.
struct RoutePolicy {
  Credentials credentials = Credentials::kBasicOrBearer;
  ErrorShape errors = ErrorShape::kReason;
  std::size_t body_limit = 32UL * 1024 * 1024;
  std::size_t json_depth = json::Document::kDefaultDepth;
  /// Reject a body whose Content-Type is not JSON (415).
  bool json_type_required = false;
  /// The handler usually responds from memory or defers: try it on the I/O thread first.
  bool try_on_io_thread = false;
  /// The handler waits for other servers: run it on the outbound threads, not on request workers.
  bool uses_outbound_threads = false;
  /// Only pages of this server may send the request (http/browser/site.h), even without a session,
  /// because the response starts a session. No CSRF token is needed.
  bool own_pages_only = false;
  /// POST supports Idempotency-Key, for requests with a principal.
  bool idempotent_posts = false;
};

/// A request and its parameters, as a handler receives them.
struct Context {
  Request& request;
  const std::vector<NamedText>& path_parameters;
  const QueryParameters& query_parameters;

  /// Returns the principal of the request. Only valid on routes that require a credential.
  const Principal& caller() const { return *request.principal; }
  /// Returns the wire profile of the response.
  wire::Spelling spelling() const { return request.spelling; }
};

/// Writes the members of a JSON Schema object, or the items of an array.
using Description = std::function<void(json::Writer&, schema::Components&)>;

/// An additional media type of a request body or a response body.
struct MediaType {
  std::string name;
  Description describe;
};

/// Properties for the OpenAPI document that the types of an endpoint do not contain.
struct RouteDocumentation {
  /// Statuses in addition to the success status and those that documentedStatuses() derives.
  std::vector<int> statuses = {};
  /// Error statuses with the body of a success, such as the 503 of a failed system check.
  std::vector<int> reply_statuses = {};
  bool etag = false;      ///< a successful response has an ETag
  bool if_match = false;  ///< supports If-Match (412)
  bool content = false;   ///< the response is stored content: supports Range (206, 416)
};

/// A type-erased route: the router matches, runs and documents it.
struct Route {
  Method method = Method::kGet;
  std::string path;  ///< with parameters in braces: /teams/{team}
  std::string operation_id;
  std::string summary;
  std::string description;
  std::string tag;
  int success_status = 200;
  RoutePolicy policy;
  std::function<Response(const Context&)> run;

  // Documentation.
  RouteDocumentation facts;
  Description describe_parameters;
  Description describe_body;   ///< null: no body
  Description describe_reply;  ///< null: no reply body
  std::string body_type = "application/json";
  std::string reply_type = "application/json";
  std::vector<MediaType> other_body_types;
  std::vector<MediaType> other_reply_types;
  bool body_required = true;  ///< an empty body is rejected
};

}  // namespace spindle::http
