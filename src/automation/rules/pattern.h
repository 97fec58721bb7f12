#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace spindle::automation {

/// Returns why a text is not a valid regular expression (RE2 syntax, at most 1024 bytes, bounded
/// memory: no look-around, no back-references), or nothing.
std::optional<std::string> patternProblem(std::string_view pattern);

/// A compiled, unanchored regular expression. Immutable, thread-safe.
class Pattern {
 public:
  /// `text` should have no patternProblem(). An invalid text (stored by another version) never
  /// matches.
  explicit Pattern(std::string_view text);
  ~Pattern();
  Pattern(Pattern&&) noexcept;
  Pattern& operator=(Pattern&&) noexcept;

  bool foundIn(std::string_view text) const;

 private:
  struct Compiled;
  std::unique_ptr<const Compiled> compiled_;
};

}  // namespace spindle::automation
