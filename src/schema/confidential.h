#pragma once

#include <memory>

#include "schema/type.h"

namespace spindle::schema {

namespace detail {

std::shared_ptr<const Type> confidentialType(std::shared_ptr<const Type> inner);

}  // namespace detail

/// The same type, whose broken rules do not repeat what was sent: for bodies that carry secrets,
/// since an answer may be logged by whoever gets it.
template <class T>
Codec<T> confidential(const Codec<T>& inner) {
  return Codec<T>(detail::confidentialType(inner.type()));
}

}  // namespace spindle::schema
