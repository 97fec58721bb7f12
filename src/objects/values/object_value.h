#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/core/result.h"
#include "objects/values/object.h"
#include "objects/values/ref.h"

namespace spindle::objects {

// Functions on the JSON text of a stored value. The text must be valid JSON.

/// Returns kind and classes of an object value (tracing.md §4.3).
ObjectClasses classesOf(std::string_view json);

/// Result of following the edges of a ref.
struct WalkResult {
  enum class Kind {
    kValue,    ///< all edges were followed; `text` is the JSON found
    kRef,      ///< reached a string that is a ref; `text` is the string
    kMissing,  ///< the attribute, key or item does not exist
  };
  Kind kind = Kind::kMissing;
  std::string text;
  std::size_t next = 0;  ///< if kRef: the first edge that was not followed
};

/// Follows the edges from `first` on, up to a ref or the end. The value itself may be a ref only if
/// edges are left.
WalkResult walk(std::string_view json, const std::vector<RefEdge>& edges, std::size_t first);

}  // namespace spindle::objects
