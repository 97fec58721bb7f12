#include "http/server/cors.h"

#include <algorithm>
#include <utility>

namespace spindle::http {

Cors::Cors(CorsPolicy policy) : policy_(std::move(policy)) {
  const auto& origins = policy_.allowed_origins;
  any_ = std::find(origins.begin(), origins.end(), "*") != origins.end();
}

bool Cors::allows(std::string_view origin) const {
  const auto& origins = policy_.allowed_origins;
  return any_ || std::find(origins.begin(), origins.end(), origin) != origins.end();
}

std::string_view Cors::allowedOrigin(std::string_view origin) const {
  // Browsers reject `*` if credentials are allowed.
  return any_ && !policy_.allow_credentials ? "*" : origin;
}

bool Cors::isPreflight(const Request& request) const {
  return enabled() && request.method == Method::kOptions && request.headers.find("Origin") &&
         request.headers.find("Access-Control-Request-Method");
}

Response Cors::preflight(const Request& request) const {
  if (!allows(request.headers.get("Origin"))) {
    Response refused(403);
    refused.headers.add("Content-Type", "application/json");
    refused.body = R"({"detail":"This origin is not allowed"})";
    return refused;
  }
  Response response(204);
  response.headers.add("Access-Control-Allow-Methods",
                       "GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS");
  if (const std::string* wanted = request.headers.find("Access-Control-Request-Headers")) {
    response.headers.add("Access-Control-Allow-Headers", *wanted);
    response.headers.add("Vary", "Access-Control-Request-Headers");
  }
  response.headers.add("Access-Control-Max-Age", std::to_string(policy_.max_age.count()));
  return response;
}

void Cors::appendFields(const Request& request, std::string& head) const {
  if (!enabled()) return;
  if (!any_ || policy_.allow_credentials) head += "Vary: Origin\r\n";
  const std::string* origin = request.headers.find("Origin");
  if (origin == nullptr || !allows(*origin)) return;
  head += "Access-Control-Allow-Origin: ";
  head += allowedOrigin(*origin);
  head += "\r\nAccess-Control-Expose-Headers: ETag, Location, Retry-After, X-Request-Id\r\n";
  if (policy_.allow_credentials) head += "Access-Control-Allow-Credentials: true\r\n";
}

}  // namespace spindle::http
