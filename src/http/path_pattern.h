#pragma once

#include <string>
#include <string_view>

namespace spindle::http {

/// How the last parameter of a route's path ends when it takes the rest of a request's path,
/// slashes included: /files/{path...}
inline constexpr std::string_view kRestOfPath = "...}";

/// A route's path as OpenAPI writes it, which has no word for that.
inline std::string describedPath(std::string_view path) {
  if (!path.ends_with(kRestOfPath)) return std::string(path);
  return std::string(path.substr(0, path.size() - kRestOfPath.size())) + "}";
}

}  // namespace spindle::http
