#pragma once

#include <functional>
#include <memory>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "http/router/parameters.h"
#include "http/router/route.h"
#include "schema/parse.h"
#include "schema/record.h"

namespace spindle::http {

/// The result of a handler: a value, optionally with another status or additional headers. An
/// endpoint without a reply type can return a stream (see linesRoute()) or a deferred response.
template <class Out>
struct Reply {
  Reply(Out out) : value(std::move(out)) {}  // NOLINT: `return team;` reads well

  Reply& with(std::string_view name, std::string_view header_value) {
    headers.add(name, header_value);
    return *this;
  }

  Out value;
  int status = 0;  ///< 0: the endpoint's success status
  Headers headers;
  std::shared_ptr<BodyStream> stream;       ///< null if none
  std::shared_ptr<DeferredResponse> later;  ///< null if none
};

inline constexpr std::string_view kLinesType = "application/jsonl";

inline schema::Codec<Nothing> nothing() { return schema::Record<Nothing>("Nothing").codec(); }

/// Declares an endpoint: everything that the server validates in a request and everything that
/// /openapi.json contains about it. The handler is called with valid input only.
template <class Params, class Body, class Out>
struct Endpoint {
  Method method = Method::kGet;
  std::string_view path;
  std::string_view operation_id;
  std::string_view summary;
  std::string_view description = {};
  std::string_view tag = {};
  int success_status = 200;
  RouteDocumentation facts = {};
  RoutePolicy policy = {};
  Parameters<Params> params = {};
  schema::Codec<Body> body = nothing();
  schema::Codec<Out> reply = nothing();
  std::function<Result<Reply<Out>>(const Context&, const Params&, Body)> handler;
};

namespace detail {

/// Returns the 415 response for a body with another Content-Type than JSON, or nothing.
std::optional<Response> rejectNonJson(const Context& context, const RoutePolicy& policy);
Response jsonResponse(int status, const Headers& headers, std::string body);

template <class Params, class Body, class Out>
Response runEndpoint(const Endpoint<Params, Body, Out>& endpoint, const Context& context) {
  const RoutePolicy& policy = endpoint.policy;
  std::vector<Violation> violations;
  Params params = endpoint.params.read({context.path_parameters, context.query_parameters,
                                        context.request.headers, context.spelling()},
                                       violations);
  Body body{};
  if constexpr (!std::is_same_v<Body, Nothing>) {
    if (std::optional<Response> refusal = rejectNonJson(context, policy)) return *refusal;
    std::optional<Error> broken =
        schema::detail::parseInto(*endpoint.body.type(), std::move(context.request.body), "body",
                                  policy.json_depth, &body, context.spelling());
    if (broken) {
      violations.insert(violations.end(), broken->violations().begin(), broken->violations().end());
    }
  }
  if (!violations.empty())
    return errorResponse(Error::invalid(std::move(violations)), policy.errors);

  Result<Reply<Out>> outcome = endpoint.handler(context, params, std::move(body));
  if (!outcome) return errorResponse(outcome.error(), policy.errors);
  const int status = outcome->status != 0 ? outcome->status : endpoint.success_status;
  std::string text;
  if constexpr (!std::is_same_v<Out, Nothing>)
    text = endpoint.reply.toJson(outcome->value, context.spelling());
  Response response = jsonResponse(status, outcome->headers, std::move(text));
  response.stream = std::move(outcome->stream);
  response.later = std::move(outcome->later);
  return response;
}

}  // namespace detail

/// Erases the types of an endpoint.
template <class Params, class Body, class Out>
Route routeOf(Endpoint<Params, Body, Out> endpoint) {
  Route route;
  route.method = endpoint.method;
  route.path = endpoint.path;
  route.operation_id = endpoint.operation_id;
  route.summary = endpoint.summary;
  route.description = endpoint.description;
  route.tag = endpoint.tag;
  route.success_status = endpoint.success_status;
  route.facts = endpoint.facts;
  route.policy = endpoint.policy;
  route.describe_parameters = [params = endpoint.params](json::Writer& out,
                                                         schema::Components& components) {
    params.describe(out, components);
  };
  if constexpr (!std::is_same_v<Body, Nothing>) {
    route.describe_body = [type = endpoint.body.type()](json::Writer& out,
                                                        schema::Components& components) {
      type->describe(out, components);
    };
  }
  if constexpr (!std::is_same_v<Out, Nothing>) {
    route.describe_reply = [type = endpoint.reply.type()](json::Writer& out,
                                                          schema::Components& components) {
      type->describe(out, components);
    };
  }
  route.run = [endpoint = std::move(endpoint)](const Context& context) {
    return detail::runEndpoint(endpoint, context);
  };
  return route;
}

/// Returns a route that responds with a stream of JSON values, one per line. The handler's reply
/// contains the stream; `line` describes one line.
template <class Params, class Body, class Line>
Route linesRoute(Endpoint<Params, Body, Nothing> endpoint, const schema::Codec<Line>& line) {
  endpoint.handler = [handler = std::move(endpoint.handler)](const Context& context,
                                                             const Params& params, Body body) {
    Result<Reply<Nothing>> reply = handler(context, params, std::move(body));
    if (reply) reply->headers.set("Content-Type", kLinesType);
    return reply;
  };
  Route route = routeOf(std::move(endpoint));
  route.reply_type = kLinesType;
  route.describe_reply = [type = line.type()](json::Writer& out, schema::Components& components) {
    type->describe(out, components);
  };
  return route;
}

}  // namespace spindle::http
