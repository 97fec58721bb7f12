#pragma once

#include <memory>
#include <string>

#include "schema/type.h"

namespace spindle::schema {

namespace detail {

std::shared_ptr<const Type> describedType(std::shared_ptr<const Type> inner, std::string members);
std::shared_ptr<const Type> describedAsType(std::shared_ptr<const Type> inner,
                                            std::shared_ptr<const Type> shown);

}  // namespace detail

/// The same type with the description of `shown`: for rules that the handler enforces, with a
/// status and a text of its own. `describedAs(integer(), integer({.ge = 0}))` reads -1, and says in
/// the description that it will be refused.
template <class T>
Codec<T> describedAs(const Codec<T>& inner, const Codec<T>& shown) {
  return Codec<T>(detail::describedAsType(inner.type(), shown.type()));
}

/// The same type with further members in its JSON Schema: for rules over several members, or
/// that no other type describes. `members` is a JSON object text, such as
/// `{"pattern":"^[^/]+/[^/]+$"}`. It must not repeat a member that the type describes itself.
template <class T>
Codec<T> described(const Codec<T>& inner, std::string members) {
  return Codec<T>(detail::describedType(inner.type(), std::move(members)));
}

}  // namespace spindle::schema
