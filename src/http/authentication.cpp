#include "http/authentication.h"

#include "base/crypto.h"

namespace spindle::http {
namespace {

/// What stands behind `scheme` and at least one space, or nothing.
std::string_view behindScheme(std::string_view field, std::string_view scheme) {
  if (field.size() <= scheme.size() || field[scheme.size()] != ' ') return {};
  if (!equalIgnoringCase(field.substr(0, scheme.size()), scheme)) return {};
  field.remove_prefix(scheme.size());
  while (field.starts_with(' ')) field.remove_prefix(1);
  return field;
}

}  // namespace

std::string presentedKey(const Headers& headers, Credentials accepted) {
  const std::string* field = headers.find("Authorization");
  if (field == nullptr) return {};
  if (const std::string_view token = behindScheme(*field, "Bearer"); !token.empty()) {
    return std::string(token);
  }
  if (accepted != Credentials::kBasicOrBearer) return {};
  const std::string_view encoded = behindScheme(*field, "Basic");
  const std::optional<std::string> pair = decodeBase64(encoded);
  const std::size_t colon = pair ? pair->find(':') : std::string::npos;
  return colon == std::string::npos ? std::string() : pair->substr(colon + 1);
}

Response unauthenticatedResponse(const RoutePolicy& policy) {
  Response response = errorResponse(Error::unauthenticated(), policy.errors);
  response.headers.add("WWW-Authenticate", policy.credentials == Credentials::kBearer
                                               ? "Bearer"
                                               : "Bearer, Basic realm=\"svc\"");
  return response;
}

}  // namespace spindle::http
