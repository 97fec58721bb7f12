#include "evaluation/scoring/scorer_text.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <vector>

#include "base/core/utf8.h"

namespace spindle::evaluation {
namespace {

/// Splits valid UTF-8 into characters, each as the number that its bytes form.
std::vector<std::uint32_t> charactersOf(std::string_view text) {
  std::vector<std::uint32_t> characters;
  characters.reserve(text.size());
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (!beginsCharacter(c) && !characters.empty()) {
      characters.back() = (characters.back() << 8U) | byte;
    } else {
      characters.push_back(byte);
    }
  }
  return characters;
}

}  // namespace

std::string_view stripped(std::string_view text) {
  constexpr std::string_view kSpace = " \t\r\n\f\v";
  const std::size_t first = text.find_first_not_of(kSpace);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kSpace) - first + 1);
}

std::optional<double> numberIn(std::string_view text) {
  std::string_view digits = stripped(text);
  if (digits.starts_with('+')) digits.remove_prefix(1);
  if (digits.empty() || digits.starts_with('+')) return std::nullopt;
  double number = 0;
  const auto [end, problem] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  if (problem != std::errc() || end != digits.data() + digits.size() || !std::isfinite(number))
    return std::nullopt;
  return number;
}

std::optional<bool> reaches(double value, std::optional<double> threshold) {
  if (!threshold) return std::nullopt;
  return value >= *threshold;
}

std::optional<TextDistance> distanceBetween(std::string_view a, std::string_view b) {
  const std::vector<std::uint32_t> rows = charactersOf(a);
  const std::vector<std::uint32_t> columns = charactersOf(b);
  const std::size_t longer = std::max(rows.size(), columns.size());
  if (longer > kMaxDistanceLength) return std::nullopt;
  if (longer == 0) return TextDistance{};
  std::vector<std::size_t> line(columns.size() + 1);
  for (std::size_t j = 0; j < line.size(); ++j) line[j] = j;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    std::size_t diagonal = line[0];
    line[0] = i + 1;
    for (std::size_t j = 0; j < columns.size(); ++j) {
      const std::size_t substituted = diagonal + (rows[i] == columns[j] ? 0 : 1);
      diagonal = line[j + 1];
      line[j + 1] = std::min({substituted, line[j] + 1, diagonal + 1});
    }
  }
  const std::size_t distance = line.back();
  return TextDistance{distance, 1 - static_cast<double>(distance) / static_cast<double>(longer)};
}

}  // namespace spindle::evaluation
