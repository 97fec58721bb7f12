#include "http/message/origin.h"

#include "base/core/url_path.h"

namespace spindle::http {
namespace {

constexpr std::size_t kLongestPrefix = 200;

}  // namespace

std::string_view prefixOf(const Request& request) {
  std::string_view prefix = request.headers.get(kForwardedPrefix);
  if (!isUrlPath(prefix) || prefix.size() > kLongestPrefix) return {};
  while (prefix.ends_with('/')) prefix.remove_suffix(1);
  return prefix;
}

std::string originOf(const Request& request) {
  std::string origin =
      (request.secure ? "https://" : "http://") + std::string(request.headers.get("Host"));
  return origin.append(prefixOf(request));
}

}  // namespace spindle::http
