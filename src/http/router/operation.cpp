#include "http/router/operation.h"

#include <vector>

#include "schema/parse.h"

namespace spindle::http {
namespace {

/// Returns the 415 response for a body with another Content-Type than JSON, or nothing.
std::optional<Response> rejectNonJson(const Context& context, const RoutePolicy& policy) {
  if (!policy.json_type_required) return std::nullopt;
  std::string_view type = context.request.headers.get("Content-Type");
  type = type.substr(0, type.find(';'));
  while (type.ends_with(' ')) type.remove_suffix(1);
  const bool json = type.empty() || equalIgnoringCase(type, "application/json") ||
                    (type.size() > 5 && equalIgnoringCase(type.substr(type.size() - 5), "+json"));
  if (json) return std::nullopt;
  return errorResponse(Error(ErrorCode::kUnsupportedMediaType,
                             "The body must be JSON: send Content-Type: application/json."),
                       policy.errors);
}

}  // namespace

Description descriptionOf(const schema::TypePtr& type) {
  if (!type) return nullptr;
  return [type](json::Writer& out, schema::Components& components) {
    type->describe(out, components);
  };
}

std::optional<Response> readInput(const OperationTypes& types,
                                  const RoutePolicy& policy,
                                  const Context& context,
                                  void* params,
                                  void* body) {
  std::vector<Violation> violations;
  types.params.read({context.path_parameters, context.query_parameters, context.request.headers,
                     context.spelling()},
                    params, violations);
  if (types.body) {
    if (std::optional<Response> refusal = rejectNonJson(context, policy)) return refusal;
    const std::optional<Error> invalid =
        schema::detail::parseInto(*types.body, std::move(context.request.body), "body",
                                  policy.json_depth, body, context.spelling());
    if (invalid) {
      violations.insert(violations.end(), invalid->violations().begin(),
                        invalid->violations().end());
    }
  }
  if (violations.empty()) return std::nullopt;
  return errorResponse(Error::invalid(std::move(violations)), policy.errors);
}

Response respond(const OperationTypes& types,
                 const Context& context,
                 int success_status,
                 ReplyParts&& parts,
                 const void* value) {
  Response response(parts.status != 0 ? parts.status : success_status);
  response.headers = std::move(parts.headers);
  if (types.reply) {
    json::Writer out(response.body);
    types.reply->write(value, out, context.spelling());
    response.headers.add("Content-Type", "application/json");
  }
  response.stream = std::move(parts.stream);
  response.later = std::move(parts.later);
  return response;
}

void describe(const OperationTypes& types, Route& route) {
  route.describe_parameters = [params = types.params](json::Writer& out,
                                                      schema::Components& components) {
    params.describe(out, components);
  };
  route.describe_body = descriptionOf(types.body);
  route.describe_reply = descriptionOf(types.reply);
}

Route routeOf(const OperationHead& head,
              const RouteDocumentation& facts,
              const RoutePolicy& policy,
              const OperationTypes& types) {
  Route route;
  route.method = head.method;
  route.path = head.path;
  route.operation_id = head.text.id;
  route.summary = head.text.summary;
  route.description = head.text.description;
  route.tag = head.tag;
  route.success_status = head.success_status;
  route.facts = facts;
  route.policy = policy;
  describe(types, route);
  return route;
}

void replyWithLines(Route& route, const schema::TypePtr& line) {
  route.run = [run = std::move(route.run)](const Context& context) {
    Response response = run(context);
    if (response.stream) response.headers.set("Content-Type", kLinesType);
    return response;
  };
  route.reply_type = kLinesType;
  route.describe_reply = descriptionOf(line);
}

}  // namespace spindle::http
