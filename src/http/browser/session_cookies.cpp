#include "http/browser/session_cookies.h"

#include <algorithm>

#include "base/crypto/crypto.h"
#include "http/browser/cookies.h"
#include "http/message/origin.h"

namespace spindle::http {
namespace {

constexpr std::string_view kCsrfHeader = "X-CSRF-Token";

bool hasKeyCredential(const Headers& headers) {
  return std::any_of(headers.begin(), headers.end(), [](const Headers::Field& field) {
    return equalIgnoringCase(field.first, "Authorization") || wire::isKeyHeader(field.first);
  });
}

Error wrongCsrfToken() {
  return Error::denied(
             "The X-CSRF-Token header is missing or belongs to another session: read it again from "
             "GET /api/v1/session.")
      .because("csrf_token");
}

}  // namespace

std::string_view SessionCookies::nameFor(const Request& request) const {
  if (!site_.isSecure(request)) return "spindle";
  return prefixOf(request).empty() ? "__Host-spindle" : "__Secure-spindle";
}

std::string_view SessionCookies::tokenOf(const Request& request) const {
  // Most requests of programs have no cookie.
  if (request.headers.find("Cookie") == nullptr || hasKeyCredential(request.headers)) return {};
  return cookieValue(request.headers, nameFor(request));
}

std::optional<Error> SessionCookies::problemOf(const Request& request,
                                               std::string_view token) const {
  if (std::optional<Error> problem = site_.problemOf(request)) return problem;
  if (request.method == Method::kGet || request.method == Method::kHead) return std::nullopt;
  const std::string* sent = request.headers.find(kCsrfHeader);
  if (sent == nullptr || !equalInConstantTime(*sent, csrfTokenOf(token))) return wrongCsrfToken();
  return std::nullopt;
}

std::string SessionCookies::storingField(const Request& request,
                                         std::string_view token,
                                         std::chrono::seconds max_age) const {
  const std::string path = std::string(prefixOf(request)) + "/";
  return setCookieField({nameFor(request), token, path, max_age, site_.isSecure(request)});
}

std::string SessionCookies::removingField(const Request& request) const {
  return storingField(request, "", std::chrono::seconds(0));
}

}  // namespace spindle::http
