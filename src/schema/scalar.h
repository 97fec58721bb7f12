#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/core/time.h"
#include "json/writer.h"
#include "schema/type.h"

namespace spindle::schema {

/// Constraints of a string. Lengths count characters. U+0000 is always rejected, because no store
/// accepts it.
struct StringRules {
  std::size_t min_length = 0;
  std::size_t max_length = std::numeric_limits<std::size_t>::max();
  std::string_view pattern = {};  ///< RE2; matches any part of the text unless anchored
  std::string_view format = {};   ///< only for the JSON Schema
};

struct IntegerRules {
  std::optional<std::int64_t> ge = {};
  std::optional<std::int64_t> gt = {};
  std::optional<std::int64_t> le = {};
  std::optional<std::int64_t> lt = {};
};

struct NumberRules {
  std::optional<double> ge = {};
  std::optional<double> gt = {};
  std::optional<double> le = {};
  std::optional<double> lt = {};
};

Codec<std::string> string(const StringRules& rules = {});
/// Also accepts "10", 10.0 and true.
Codec<std::int64_t> integer(const IntegerRules& rules = {});
/// Also accepts "1.5" and true. Rejects values that are not finite.
Codec<double> number(const NumberRules& rules = {});
/// Also accepts 0, 1 and words such as "yes" and "off".
Codec<bool> boolean();
/// Accepts ISO 8601 text and Unix seconds or milliseconds.
Codec<Timestamp> dateTime();
/// Accepts every form that parseUuid() accepts; stores the hyphenated lower-case form.
Codec<std::string> uuid();
/// One of a set of fixed strings.
Codec<std::string> literal(std::vector<std::string> values);
/// Any JSON value, stored as its text.
Codec<json::Text> anyJson();
/// A JSON object, stored as its text; any other value is a dict_type error.
Codec<json::Text> jsonObject();

namespace detail {

using EnumNames = std::vector<std::pair<std::string, std::int64_t>>;

/// `store` and `load` convert between the number and the C++ enumeration.
TypePtr enumType(EnumNames names,
                 void (*store)(void*, std::int64_t),
                 std::int64_t (*load)(const void*));

}  // namespace detail

/// One of the named values of an enumeration.
template <class E>
Codec<E> enumeration(const std::vector<std::pair<std::string, E>>& values) {
  static_assert(std::is_enum_v<E>);
  detail::EnumNames names;
  for (const auto& [name, value] : values)
    names.emplace_back(name, static_cast<std::int64_t>(value));
  return Codec<E>(detail::enumType(
      std::move(names),
      [](void* out, std::int64_t value) { *static_cast<E*>(out) = static_cast<E>(value); },
      [](const void* value) { return static_cast<std::int64_t>(*static_cast<const E*>(value)); }));
}

}  // namespace spindle::schema
