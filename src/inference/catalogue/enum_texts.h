#pragma once

#include <array>
#include <cstddef>
#include <string_view>

#include "base/core/lookup.h"

namespace spindle::inference {

/// The values of an enumeration with their texts, one row each.
template <class Enum, std::size_t N>
using EnumTexts = std::array<LookupEntry<Enum>, N>;

/// Parses a stored text; `kDefault` for an unknown one. For storage::Columns.
template <const auto& kTexts, auto kDefault>
constexpr auto storedValue(std::string_view text) {
  return keyOf(kTexts, text).value_or(kDefault);
}

}  // namespace spindle::inference
