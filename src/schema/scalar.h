#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/time.h"
#include "json/writer.h"
#include "schema/type.h"

namespace spindle::schema {

/// Lengths count characters. A text never holds U+0000: no store takes it.
struct StringRules {
  std::size_t min_length = 0;
  std::size_t max_length = std::numeric_limits<std::size_t>::max();
  std::string_view pattern = {};  ///< RE2; must match somewhere, so anchor it
  std::string_view format = {};   ///< only for the description
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
/// Also reads "10", 10.0 and true.
Codec<std::int64_t> integer(const IntegerRules& rules = {});
/// Also reads "1.5" and true. Always finite.
Codec<double> number(const NumberRules& rules = {});
/// Also reads 0, 1 and the usual words.
Codec<bool> boolean();
/// Reads ISO 8601 text and unix seconds or milliseconds.
Codec<Timestamp> dateTime();
/// Reads the usual spellings, keeps the hyphenated lower-case one.
Codec<std::string> uuid();
/// One of a few fixed texts.
Codec<std::string> literal(std::vector<std::string> values);
/// Any JSON, kept as its text.
Codec<json::Text> anyJson();
/// A JSON object, kept as its text; anything else is a dict_type error.
Codec<json::Text> jsonObject();

namespace detail {

using EnumNames = std::vector<std::pair<std::string, std::int64_t>>;

/// `store` and `load` move between the number and the real enumeration.
std::shared_ptr<const Type> enumType(EnumNames names,
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
