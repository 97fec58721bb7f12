#include "automation/rules/pattern.h"

#include <re2/re2.h>

namespace spindle::automation {
namespace {

constexpr std::size_t kMaxPatternBytes = 1024;

re2::StringPiece pieceOf(std::string_view text) { return {text.data(), text.size()}; }

RE2::Options quietly() {
  RE2::Options options;
  options.set_log_errors(false);
  return options;
}

}  // namespace

struct Pattern::Compiled {
  explicit Compiled(std::string_view text) : expression(pieceOf(text), quietly()) {}
  RE2 expression;
};

std::optional<std::string> patternProblem(std::string_view pattern) {
  if (pattern.size() > kMaxPatternBytes) return "longer than 1024 bytes";
  const RE2 compiled(pieceOf(pattern), quietly());
  if (compiled.ok()) return std::nullopt;
  return compiled.error();
}

Pattern::Pattern(std::string_view text) : compiled_(std::make_unique<const Compiled>(text)) {}
Pattern::~Pattern() = default;
Pattern::Pattern(Pattern&&) noexcept = default;
Pattern& Pattern::operator=(Pattern&&) noexcept = default;

bool Pattern::foundIn(std::string_view text) const {
  return compiled_->expression.ok() && RE2::PartialMatch(pieceOf(text), compiled_->expression);
}

}  // namespace spindle::automation
