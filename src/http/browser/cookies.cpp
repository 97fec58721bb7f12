#include "http/browser/cookies.h"

#include <algorithm>

namespace spindle::http {
namespace {

/// Returns the value of the cookie in one Cookie field; a null view if the field does not have it.
std::string_view valueIn(std::string_view field, std::string_view name) {
  while (!field.empty()) {
    const std::size_t end = std::min(field.find(';'), field.size());
    const std::string_view pair = trimmed(field.substr(0, end));
    field.remove_prefix(std::min(end + 1, field.size()));
    const std::size_t equals = pair.find('=');
    if (equals != std::string_view::npos && pair.substr(0, equals) == name) {
      return pair.substr(equals + 1);
    }
  }
  return {};
}

}  // namespace

std::string_view cookieValue(const Headers& headers, std::string_view name) {
  // Proxies that receive HTTP/2 may pass several Cookie fields.
  for (const Headers::Field& field : headers) {
    if (!equalIgnoringCase(field.first, "Cookie")) continue;
    const std::string_view value = valueIn(field.second, name);
    if (value.data() != nullptr) return value;
  }
  return {};
}

std::string setCookieField(const NewCookie& cookie) {
  std::string text(cookie.name);
  text.append("=").append(cookie.value);
  text.append("; Path=").append(cookie.path);
  text.append("; Max-Age=").append(std::to_string(cookie.max_age.count()));
  text.append("; HttpOnly; SameSite=Lax");
  if (cookie.secure) text.append("; Secure");
  return text;
}

}  // namespace spindle::http
