#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

namespace spindle::evaluation {

// Text functions of the built-in scorers. Pure functions.

/// Removes white space at both ends.
std::string_view stripped(std::string_view text);

/// Parses a text as a finite number; ignores white space around it.
std::optional<double> numberIn(std::string_view text);

/// Returns true if the value is at least the threshold; nothing without a threshold.
std::optional<bool> reaches(double value, std::optional<double> threshold);

/// Maximum length of a text for distances, in characters: the time grows with the product of the
/// lengths.
inline constexpr std::size_t kMaxDistanceLength = 4096;

/// Maximum length of a text whose words are counted, in bytes: every word needs memory.
inline constexpr std::size_t kMaxWordsLength = 1UL << 20;

struct TextDistance {
  std::size_t distance = 0;  ///< insertions, deletions and substitutions of characters
  double similarity = 1;     ///< 1 - distance / length of the longer; 1 for two empty texts
};
/// Computes the Levenshtein distance over Unicode characters. Returns nothing if a text is too
/// long.
std::optional<TextDistance> distanceBetween(std::string_view a, std::string_view b);

}  // namespace spindle::evaluation
