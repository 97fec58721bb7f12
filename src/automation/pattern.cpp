#include "automation/pattern.h"

#include <re2/re2.h>

namespace spindle::automation {
namespace {

constexpr std::size_t kMaxPatternBytes = 1024;

}  // namespace

std::optional<std::string> patternProblem(std::string_view pattern) {
  if (pattern.size() > kMaxPatternBytes) return "longer than 1024 bytes";
  RE2::Options options;
  options.set_log_errors(false);
  const RE2 compiled(re2::StringPiece(pattern.data(), pattern.size()), options);
  if (compiled.ok()) return std::nullopt;
  return compiled.error();
}

}  // namespace spindle::automation
