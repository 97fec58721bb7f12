#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "objects/object.h"
#include "objects/ref.h"

namespace spindle::objects {

// What can be read off the JSON text of a stored value. The text must be valid JSON.

/// Kind and classes of an object value (tracing.md §4.3).
ObjectClasses classesOf(std::string_view json);

/// Where a walk along the edges of a ref ended.
struct Landing {
  enum class Kind {
    kValue,    ///< all edges were taken; `text` is the JSON found
    kRef,      ///< on a string that is a ref; `text` is the string itself
    kMissing,  ///< there is no such attribute, key or item
  };
  Kind kind = Kind::kMissing;
  std::string text;
  std::size_t next = 0;  ///< of kRef: the first edge not taken yet
};

/// Walks from edge `first` on, up to a ref or the end. The value itself may be a ref only when
/// there are edges left.
Landing walk(std::string_view json, const std::vector<RefEdge>& edges, std::size_t first);

}  // namespace spindle::objects
