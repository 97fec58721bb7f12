#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string_view>
#include <utility>

namespace spindle::inference {

/// The values of an enumeration with their texts, one row each.
template <class Enum, std::size_t N>
using EnumTexts = std::array<std::pair<Enum, std::string_view>, N>;

/// Returns the text of a value, or an empty text.
template <class Enum, std::size_t N>
constexpr std::string_view textIn(const EnumTexts<Enum, N>& texts, Enum value) {
  for (const auto& [each, text] : texts) {
    if (each == value) return text;
  }
  return {};
}

template <class Enum, std::size_t N>
constexpr std::optional<Enum> valueIn(const EnumTexts<Enum, N>& texts, std::string_view text) {
  for (const auto& [value, each] : texts) {
    if (each == text) return value;
  }
  return std::nullopt;
}

/// Parses a stored text; `kDefault` for an unknown one. For storage::Columns.
template <const auto& kTexts, auto kDefault>
constexpr auto storedValue(std::string_view text) {
  return valueIn(kTexts, text).value_or(kDefault);
}

}  // namespace spindle::inference
