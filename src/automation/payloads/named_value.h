#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace spindle::automation {

/// A value of an enumeration and its name.
template <class E>
struct NamedValue {
  std::string_view name;
  E value;
};

std::string upperCase(std::string_view text);
std::string lowerCase(std::string_view text);

template <class E>
std::string_view nameIn(std::span<const NamedValue<E>> table, E value) {
  for (const NamedValue<E>& row : table) {
    if (row.value == value) return row.name;
  }
  return {};
}

/// Returns the row of a table that has this `name`, or null.
template <class Row>
const Row* rowNamed(std::span<const Row> table, std::string_view name) {
  for (const Row& row : table) {
    if (row.name == name) return &row;
  }
  return nullptr;
}

/// Returns the value with this name, ignoring case.
template <class E>
std::optional<E> valueIn(std::span<const NamedValue<E>> table, std::string_view text) {
  const std::string wanted = upperCase(text);
  for (const NamedValue<E>& row : table) {
    if (upperCase(row.name) == wanted) return row.value;
  }
  return std::nullopt;
}

}  // namespace spindle::automation
