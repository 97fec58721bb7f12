#pragma once

#include <chrono>
#include <string>
#include <string_view>

#include "http/message/message.h"

namespace spindle::http {

/// Returns the value of the first cookie of this name, or an empty text. Browsers send cookies with
/// a longer path first. Names are case-sensitive; quoted values keep their quotes.
std::string_view cookieValue(const Headers& headers, std::string_view name);

/// A cookie of this server: not readable by scripts, not sent with requests of other sites except
/// top-level navigations.
struct NewCookie {
  std::string_view name;
  std::string_view value;
  std::string_view path;
  std::chrono::seconds max_age{0};  ///< 0: the browser deletes the cookie
  bool secure = false;
};

/// Returns the value of a Set-Cookie field: `name=value; Path=/; Max-Age=60; HttpOnly;
/// SameSite=Lax`, with `Secure` if wanted. The parts must not contain `;` or control characters.
std::string setCookieField(const NewCookie& cookie);

}  // namespace spindle::http
