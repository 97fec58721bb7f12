#include "http/origin.h"

#include <algorithm>

namespace spindle::http {
namespace {

constexpr std::size_t kLongestPrefix = 200;

/// A path and nothing else: it goes into URLs.
bool isPath(std::string_view text) {
  constexpr std::string_view kOthers = "/-._~";
  return text.starts_with('/') && !text.starts_with("//") && text.size() <= kLongestPrefix &&
         std::all_of(text.begin(), text.end(), [kOthers](char c) {
           return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                  kOthers.find(c) != std::string_view::npos;
         });
}

}  // namespace

std::string originOf(const Request& request) {
  std::string origin =
      (request.secure ? "https://" : "http://") + std::string(request.headers.get("Host"));
  std::string_view prefix = request.headers.get(kForwardedPrefix);
  if (!isPath(prefix)) return origin;
  while (prefix.ends_with('/')) prefix.remove_suffix(1);
  return origin.append(prefix);
}

}  // namespace spindle::http
