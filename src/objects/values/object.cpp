#include "objects/values/object.h"

#include <charconv>

namespace spindle::objects {

std::string_view textOf(ObjectKind kind) { return kind == ObjectKind::kOp ? "op" : "object"; }

std::optional<std::int64_t> versionNumber(std::string_view text) {
  if (text.size() < 2 || text[0] != 'v') return std::nullopt;
  std::int64_t number = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, problem] = std::from_chars(text.data() + 1, end, number);
  if (problem != std::errc() || stop != end || text[1] == '-') return std::nullopt;
  return number;
}

}  // namespace spindle::objects
