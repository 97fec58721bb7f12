#pragma once

#include <string_view>

#include "schema/type.h"

namespace spindle::schema {

namespace detail {

TypePtr describedType(TypePtr inner, std::string_view members);
TypePtr describedAsType(TypePtr inner, TypePtr shown);

}  // namespace detail

/// Returns the same type with the JSON Schema of `shown`. For rules that the handler enforces with
/// its own status and message: `describedAs(integer(), integer({.ge = 0}))` reads -1, but its
/// schema documents that -1 is rejected.
template <class T>
Codec<T> describedAs(const Codec<T>& inner, const Codec<T>& shown) {
  return Codec<T>(detail::describedAsType(inner.type(), shown.type()));
}

/// Returns the same type with additional members in its JSON Schema. For rules over several members
/// and rules that no type describes. `members` is a JSON object, such as
/// `{"pattern":"^[^/]+/[^/]+$"}`. It must not repeat a member that the type itself writes.
template <class T>
Codec<T> described(const Codec<T>& inner, std::string_view members) {
  return Codec<T>(detail::describedType(inner.type(), members));
}

}  // namespace spindle::schema
