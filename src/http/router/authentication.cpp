#include "http/router/authentication.h"

#include "base/crypto/crypto.h"

namespace spindle::http {
namespace {

/// Returns the text after `scheme` and at least one space, or an empty text.
std::string_view afterScheme(std::string_view field, std::string_view scheme) {
  if (field.size() <= scheme.size() || field[scheme.size()] != ' ') return {};
  if (!equalIgnoringCase(field.substr(0, scheme.size()), scheme)) return {};
  field.remove_prefix(scheme.size());
  while (field.starts_with(' ')) field.remove_prefix(1);
  return field;
}

std::string basicPassword(std::string_view field) {
  const std::optional<std::string> pair = decodeBase64(afterScheme(field, "Basic"));
  const std::size_t colon = pair ? pair->find(':') : std::string::npos;
  return colon == std::string::npos ? std::string() : pair->substr(colon + 1);
}

/// Returns true for a request of a page. Browsers send Sec-Fetch-Site over HTTPS and to localhost;
/// pages of this server send X-CSRF-Token, or the cookie of an ended session.
bool isFromBrowser(const Headers& headers) {
  return headers.find("Sec-Fetch-Site") != nullptr || headers.find("Cookie") != nullptr ||
         headers.find("X-CSRF-Token") != nullptr;
}

}  // namespace

std::string presentedKey(const Headers& headers, Credentials accepted) {
  if (const std::string* field = headers.find("Authorization")) {
    const std::string_view token = afterScheme(*field, "Bearer");
    return token.empty() && accepted != Credentials::kBearer ? basicPassword(*field)
                                                             : std::string(token);
  }
  if (accepted != Credentials::kBasicBearerOrHeader) return {};
  for (const Headers::Field& field : headers) {
    if (wire::isKeyHeader(field.first)) return field.second;
  }
  return {};
}

Response unauthenticatedResponse(const RoutePolicy& policy, const Headers& request) {
  Response response = errorResponse(Error::unauthenticated(), policy.errors);
  const bool basic = policy.credentials != Credentials::kBearer && !isFromBrowser(request);
  response.headers.add("WWW-Authenticate", basic ? "Bearer, Basic realm=\"svc\"" : "Bearer");
  return response;
}

}  // namespace spindle::http
