#include "http/router/etag.h"

#include <charconv>
#include <string_view>

namespace spindle::http {

std::string etagOf(std::int64_t version) { return "\"" + std::to_string(version) + "\""; }

Result<std::optional<std::int64_t>> expectedVersion(const Headers& headers) {
  const std::string* field = headers.find("If-Match");
  if (field == nullptr || *field == "*") return std::optional<std::int64_t>();
  const std::string_view tag = *field;
  std::int64_t version = 0;
  const bool quoted = tag.size() > 2 && tag.front() == '"' && tag.back() == '"';
  if (quoted) {
    const char* const end = tag.data() + tag.size() - 1;
    const auto [stop, failed] = std::from_chars(tag.data() + 1, end, version);
    if (failed == std::errc() && stop == end) return std::optional<std::int64_t>(version);
  }
  return Error(ErrorCode::kPreconditionFailed, "The resource has changed since you read it.");
}

}  // namespace spindle::http
