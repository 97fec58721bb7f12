#pragma once

#include <memory>
#include <string>

#include "json/writer.h"
#include "schema/type.h"

namespace spindle::schema {

namespace detail {

/// What ShapedType must know of T: a place to read into.
std::shared_ptr<const Type> shapedType(std::shared_ptr<const Type> shape,
                                       std::shared_ptr<void> (*place)());

}  // namespace detail

/// JSON kept as its text, byte for byte, but only when it can be read as T: for open objects of
/// which some members have a type.
template <class T>
Codec<json::Text> shaped(const Codec<T>& shape) {
  return Codec<json::Text>(detail::shapedType(
      shape.type(), []() -> std::shared_ptr<void> { return std::make_shared<T>(); }));
}

}  // namespace spindle::schema
