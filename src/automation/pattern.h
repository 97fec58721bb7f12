#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace spindle::automation {

/// Why a text cannot be used as a regular expression (RE2 syntax, at most 1024 bytes, bounded
/// memory: no look-around, no back-references), or nothing when it can.
std::optional<std::string> patternProblem(std::string_view pattern);

/// A regular expression, ready to be searched for; matches anywhere. Immutable, thread-safe.
class Pattern {
 public:
  /// The text has no patternProblem(). One that has (written by another version) is found nowhere.
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
