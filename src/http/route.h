#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "http/error_body.h"
#include "http/message.h"
#include "http/parameters.h"
#include "json/document.h"

namespace spindle::http {

/// Which credentials a route takes. The last takes a key in a header of its own as well, which is
/// all that some exporters can send.
enum class Credentials { kOpen, kBearer, kBasicOrBearer, kBasicBearerOrHeader };

/// What the routes of one family share.
struct RoutePolicy {
  Credentials credentials = Credentials::kBasicOrBearer;
  ErrorShape errors = ErrorShape::kReason;
  std::size_t body_limit = 32UL * 1024 * 1024;
  std::size_t json_depth = json::Document::kDefaultDepth;
  /// Refuse a body whose Content-Type says that it is not JSON (415).
  bool json_type_required = false;
  /// Mostly answered from memory, or by whoever promises an answer: tried on the I/O thread first.
  bool at_once = false;
  /// Handlers wait for other servers: they run on threads of their own, not on request workers.
  bool waits_outside = false;
  /// POST honours Idempotency-Key.
  bool idempotent_posts = false;
};

/// One request on its way through a route.
struct Context {
  Request& request;
  const std::vector<NamedText>& path_parameters;
  const QueryParameters& query_parameters;

  /// Who asks. Only on routes that need a credential.
  const Principal& caller() const { return *request.principal; }
  /// How to spell names in the answer.
  wire::Spelling spelling() const { return request.spelling; }
};

/// A route with its types erased: what the router matches, runs and documents.
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

  // Documentation; each writes the members of an object or the items of an array.
  std::function<void(json::Writer&, schema::Components&)> describe_parameters;
  std::function<void(json::Writer&, schema::Components&)> describe_body;   ///< null: no body
  std::function<void(json::Writer&, schema::Components&)> describe_reply;  ///< null: no reply body
  std::string body_type = "application/json";
  std::string reply_type = "application/json";
};

}  // namespace spindle::http
