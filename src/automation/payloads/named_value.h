#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace spindle::automation {

std::string upperCase(std::string_view text);

/// Returns the row of a table that has this `name`, or null.
template <class Row>
const Row* rowNamed(std::span<const Row> table, std::string_view name) {
  for (const Row& row : table) {
    if (row.name == name) return &row;
  }
  return nullptr;
}

/// Returns the value with this name, ignoring case. The names are in the order of the enumeration.
template <class E>
std::optional<E> valueNamed(std::span<const std::string_view> names, std::string_view text) {
  const std::string wanted = upperCase(text);
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (upperCase(names[i]) == wanted) return static_cast<E>(i);
  }
  return std::nullopt;
}

}  // namespace spindle::automation
