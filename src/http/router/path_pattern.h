#pragma once

#include <string>
#include <string_view>

namespace spindle::http {

/// The end of a last path parameter that matches the rest of the path, including slashes:
/// /files/{path...}
inline constexpr std::string_view kRestOfPath = "...}";

/// Returns the path of a route in OpenAPI syntax, which has no such parameters.
inline std::string openApiPath(std::string_view path) {
  if (!path.ends_with(kRestOfPath)) return std::string(path);
  return std::string(path.substr(0, path.size() - kRestOfPath.size())) + "}";
}

}  // namespace spindle::http
