#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "schema/record.h"
#include "schema/scalar.h"

namespace spindle::agents {

/// Members of one type, by their names.
template <class T, class M>
using MembersByName = std::initializer_list<std::pair<std::string_view, M T::*>>;

/// Adds required members of one type that need no description.
template <class T, class M>
schema::Record<T>& addMembers(schema::Record<T>& record,
                              const schema::Codec<M>& codec,
                              std::type_identity_t<MembersByName<T, M>> members) {
  for (const auto& [name, member] : members) record.required(name, member, codec, "");
  return record;
}

/// One of the values of an enumeration whose names nameOf() returns.
template <class E>
schema::Codec<E> enumerationOf(std::initializer_list<E> values) {
  std::vector<std::pair<std::string, E>> names;
  for (const E value : values) names.emplace_back(nameOf(value), value);
  return schema::enumeration(names);
}

}  // namespace spindle::agents
