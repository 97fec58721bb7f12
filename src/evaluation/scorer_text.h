#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace spindle::evaluation {

// What the built-in scorers ask of texts. Pure.

/// ASCII letters in lower case, everything else as it is.
std::string lowered(std::string_view text);
/// Without white space at either end.
std::string_view stripped(std::string_view text);

/// The number that a text is, white space around it aside; finite.
std::optional<double> numberIn(std::string_view text);

/// The longest text, in characters, whose distance is computed: the work grows with the product.
inline constexpr std::size_t kMaxDistanceLength = 4096;

struct TextDistance {
  std::size_t distance = 0;  ///< insertions, deletions and substitutions of characters
  double similarity = 1;     ///< 1 - distance / length of the longer; 1 for two empty texts
};
/// Levenshtein's distance over Unicode characters. Empty when one of the texts is too long.
std::optional<TextDistance> distanceBetween(std::string_view a, std::string_view b);

}  // namespace spindle::evaluation
