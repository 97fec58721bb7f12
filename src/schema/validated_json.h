#pragma once

#include <memory>
#include <string>

#include "json/writer.h"
#include "schema/type.h"

namespace spindle::schema {

namespace detail {

/// `place` allocates a temporary T that the input is read into.
TypePtr validatedJsonType(TypePtr shape, std::shared_ptr<void> (*place)());

}  // namespace detail

/// JSON stored as its text, byte for byte, after it has been validated as T. For objects with some
/// typed members and any number of other members.
template <class T>
Codec<json::Text> validatedJson(const Codec<T>& shape) {
  return Codec<json::Text>(detail::validatedJsonType(
      shape.type(), []() -> std::shared_ptr<void> { return std::make_shared<T>(); }));
}

}  // namespace spindle::schema
