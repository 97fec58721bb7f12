#pragma once

#include <cstddef>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <variant>
#include <vector>

#include "schema/type.h"

namespace spindle::schema {

/// The number of items that a list or a map may contain.
struct SizeRules {
  std::size_t min_items = 0;
  std::size_t max_items = std::numeric_limits<std::size_t>::max();
};

/// Members of a JSON object in input order. A repeated name has its last value.
template <class T>
using MapOf = std::vector<std::pair<std::string, T>>;

/// One alternative of a union. The location of its errors contains its name.
template <class T>
struct Alternative {
  std::string name;
  Codec<T> codec;
};

namespace detail {

/// Type-erased operations on std::vector<T> for ListType.
struct VectorOps {
  void* (*append)(void* vector);
  std::size_t (*size)(const void* vector);
  const void* (*at)(const void* vector, std::size_t index);
};

/// Type-erased operations on MapOf<T> for MapType.
struct MapOps {
  void* (*append)(void* map, std::string name);
  std::size_t (*size)(const void* map);
  const std::string& (*name)(const void* map, std::size_t index);
  const void* (*value)(const void* map, std::size_t index);
};

/// Type-erased operations on std::optional<T> for NullableType and PresentType.
struct OptionalOps {
  void* (*emplace)(void* optional);
  void (*reset)(void* optional);
  const void* (*get)(const void* optional);
};

/// One element of a tuple, or one alternative of a variant.
struct Part {
  std::string name;
  TypePtr type;
  void* (*emplace)(void* whole);
  /// Returns null if the variant holds another alternative.
  const void* (*get)(const void* whole);
};

TypePtr listType(TypePtr item, SizeRules rules, VectorOps ops);
TypePtr mapType(TypePtr value, SizeRules rules, MapOps ops);
/// `place` allocates a temporary value that a key is read into.
TypePtr keyedType(TypePtr map, TypePtr key, std::shared_ptr<void> (*place)());
TypePtr nullableType(TypePtr inner, OptionalOps ops);
TypePtr presentType(TypePtr inner, OptionalOps ops);
TypePtr tupleType(std::vector<Part> parts);
TypePtr unionType(std::vector<Part> parts);
TypePtr taggedType(std::string tag, std::vector<Part> parts);
TypePtr deferredType(std::function<TypePtr()> make);
TypePtr checkedType(TypePtr inner, std::function<std::optional<RuleError>(const void*)> check);

template <class T>
OptionalOps optionalOps() {
  using Optional = std::optional<T>;
  return {[](void* optional) -> void* { return &static_cast<Optional*>(optional)->emplace(); },
          [](void* optional) { static_cast<Optional*>(optional)->reset(); },
          [](const void* optional) -> const void* {
            const auto& value = *static_cast<const Optional*>(optional);
            return value ? &*value : nullptr;
          }};
}

template <class Variant, std::size_t I, class T>
Part variantPart(const Alternative<T>& alternative) {
  return {alternative.name, alternative.codec.type(),
          [](void* whole) -> void* { return &static_cast<Variant*>(whole)->template emplace<I>(); },
          [](const void* whole) -> const void* {
            return std::get_if<I>(static_cast<const Variant*>(whole));
          }};
}

template <class Variant, class... Ts, std::size_t... Is>
std::vector<Part> variantParts(std::index_sequence<Is...> /*positions*/,
                               const Alternative<Ts>&... alternatives) {
  return {variantPart<Variant, Is>(alternatives)...};
}

template <class Tuple, class... Ts, std::size_t... Is>
std::vector<Part> tupleParts(std::index_sequence<Is...> /*positions*/, const Codec<Ts>&... codecs) {
  return {Part{{},
               codecs.type(),
               [](void* whole) -> void* { return &std::get<Is>(*static_cast<Tuple*>(whole)); },
               [](const void* whole) -> const void* {
                 return &std::get<Is>(*static_cast<const Tuple*>(whole));
               }}...};
}

}  // namespace detail

template <class T>
Codec<std::vector<T>> list(const Codec<T>& item, SizeRules rules = {}) {
  using Vector = std::vector<T>;
  return Codec<Vector>(detail::listType(
      item.type(), rules,
      {[](void* vector) -> void* { return &static_cast<Vector*>(vector)->emplace_back(); },
       [](const void* vector) { return static_cast<const Vector*>(vector)->size(); },
       [](const void* vector, std::size_t index) -> const void* {
         return &(*static_cast<const Vector*>(vector))[index];
       }}));
}

template <class T>
Codec<MapOf<T>> map(const Codec<T>& value, SizeRules rules = {}) {
  using Map = MapOf<T>;
  return Codec<Map>(
      detail::mapType(value.type(), rules,
                      {[](void* map, std::string name) -> void* {
                         return &static_cast<Map*>(map)->emplace_back(std::move(name), T{}).second;
                       },
                       [](const void* map) { return static_cast<const Map*>(map)->size(); },
                       [](const void* map, std::size_t index) -> const std::string& {
                         return (*static_cast<const Map*>(map))[index].first;
                       },
                       [](const void* map, std::size_t index) -> const void* {
                         return &(*static_cast<const Map*>(map))[index].second;
                       }}));
}

/// A map whose member names must be valid values of K.
template <class K, class T>
Codec<MapOf<T>> keyed(const Codec<K>& key, const Codec<MapOf<T>>& map) {
  return Codec<MapOf<T>>(detail::keyedType(
      map.type(), key.type(), []() -> std::shared_ptr<void> { return std::make_shared<K>(); }));
}

/// null or the inner type. The errors are those of the inner type.
template <class T>
Codec<std::optional<T>> nullable(const Codec<T>& inner) {
  return Codec<std::optional<T>>(detail::nullableType(inner.type(), detail::optionalOps<T>()));
}

/// A member that stays unset if it is absent, as in a PATCH request. null is not the same as
/// absent.
template <class T>
Codec<std::optional<T>> ifPresent(const Codec<T>& inner) {
  return Codec<std::optional<T>>(detail::presentType(inner.type(), detail::optionalOps<T>()));
}

/// A JSON array of exactly these elements.
template <class... Ts>
Codec<std::tuple<Ts...>> tuple(const Codec<Ts>&... parts) {
  using Tuple = std::tuple<Ts...>;
  return Codec<Tuple>(
      detail::tupleType(detail::tupleParts<Tuple>(std::index_sequence_for<Ts...>(), parts...)));
}

/// The first alternative that matches without conversion, else the first that matches with
/// conversion. If none matches, the report contains the errors of all alternatives, each under the
/// name of its alternative.
template <class... Ts>
Codec<std::variant<Ts...>> anyOf(const Alternative<Ts>&... alternatives) {
  using Variant = std::variant<Ts...>;
  return Codec<Variant>(detail::unionType(
      detail::variantParts<Variant>(std::index_sequence_for<Ts...>(), alternatives...)));
}

/// A tagged union: the member `tag` selects the record by the name of its alternative (an OpenAPI
/// discriminator).
template <class... Ts>
Codec<std::variant<Ts...>> taggedBy(const std::string& tag,
                                    const Alternative<Ts>&... alternatives) {
  using Variant = std::variant<Ts...>;
  return Codec<Variant>(detail::taggedType(
      tag, detail::variantParts<Variant>(std::index_sequence_for<Ts...>(), alternatives...)));
}

/// A type that is created on first use, so that a record can contain itself.
template <class T>
Codec<T> deferred(std::function<Codec<T>()> make) {
  return Codec<T>(detail::deferredType([make = std::move(make)] { return make().type(); }));
}

/// A type with an additional rule. `check` runs after all rules of the inner type hold.
template <class T>
Codec<T> checked(const Codec<T>& inner, std::function<std::optional<RuleError>(const T&)> check) {
  return Codec<T>(detail::checkedType(inner.type(), [check = std::move(check)](const void* value) {
    return check(*static_cast<const T*>(value));
  }));
}

}  // namespace spindle::schema
