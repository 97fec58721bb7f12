#include "http/router/endpoint.h"

namespace spindle::http::detail {

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

Response jsonResponse(int status, const Headers& headers, std::string body) {
  Response response(status);
  response.headers = headers;
  if (!body.empty()) response.headers.add("Content-Type", "application/json");
  response.body = std::move(body);
  return response;
}

}  // namespace spindle::http::detail
