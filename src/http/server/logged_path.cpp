#include "http/server/logged_path.h"

#include <algorithm>
#include <cstddef>

namespace spindle::http {
namespace {

constexpr std::string_view kCredential = "{token}";
constexpr std::string_view kMask = "***";
/// Longer than a UUID, shorter than a blob token or an API key.
constexpr std::size_t kLongestSegment = 40;

std::string withoutLongSegments(std::string_view path) {
  std::string shown;
  while (!path.empty()) {
    const std::size_t slash = std::min(path.find('/'), path.size());
    shown += slash > kLongestSegment ? kMask : path.substr(0, slash);
    if (slash < path.size()) shown += '/';
    path.remove_prefix(std::min(slash + 1, path.size()));
  }
  return shown;
}

}  // namespace

std::string loggedPath(std::string_view path, std::string_view route) {
  if (route.empty()) return withoutLongSegments(path);
  const std::size_t parameter = route.find(kCredential);
  if (parameter == std::string_view::npos) return std::string(path);
  const std::string_view before = route.substr(0, parameter);
  const std::size_t found = path.find(before);
  // The path is encoded differently than the template: log the template.
  if (found == std::string_view::npos) return std::string(route);
  const std::size_t begin = found + before.size();
  const std::size_t end = std::min(path.find('/', begin), path.size());
  std::string shown(path.substr(0, begin));
  shown += kMask;
  shown += path.substr(end);
  return shown;
}

}  // namespace spindle::http
