#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string_view>
#include <type_traits>

namespace spindle {

/// A row of a lookup table: a key, such as a value of an enumeration, and what it maps to.
///
///     constexpr auto kLevels = std::to_array<LookupEntry<LogLevel>>(
///         {{LogLevel::kDebug, "debug"}, {LogLevel::kInfo, "info"}});
///     lookUp(kLevels, level, "");   // LogLevel::kDebug: "debug"
///     keyOf(kLevels, "info");       // LogLevel::kInfo
template <class Key, class Value = std::string_view>
struct LookupEntry {
  Key key;
  Value value;
};

/// Returns the value of the key, or `otherwise` if the table does not contain the key.
template <class Key, class Value, std::size_t kSize>
constexpr Value lookUp(const std::array<LookupEntry<Key, Value>, kSize>& table,
                       std::type_identity_t<Key> key,
                       std::type_identity_t<Value> otherwise) {
  for (const LookupEntry<Key, Value>& entry : table) {
    if (entry.key == key) return entry.value;
  }
  return otherwise;
}

/// Returns the first key with this value, or nothing.
template <class Key, class Value, std::size_t kSize>
constexpr std::optional<Key> keyOf(const std::array<LookupEntry<Key, Value>, kSize>& table,
                                   std::type_identity_t<Value> value) {
  for (const LookupEntry<Key, Value>& entry : table) {
    if (entry.value == value) return entry.key;
  }
  return std::nullopt;
}

}  // namespace spindle
