#pragma once

#include <memory>

#include "schema/type.h"

namespace spindle::schema {

namespace detail {

TypePtr confidentialType(TypePtr inner);

}  // namespace detail

/// Returns the same type, whose violations do not contain the input. For bodies with secrets,
/// because clients may log the response.
template <class T>
Codec<T> confidential(const Codec<T>& inner) {
  return Codec<T>(detail::confidentialType(inner.type()));
}

}  // namespace spindle::schema
