#pragma once

#include <string_view>

#include "base/core/result.h"
#include "otlp/span.h"
#include "otlp/value.h"

namespace spindle::otlp {

/// Attributes as a tree: keys are split at their dots, and texts that are JSON lists or objects are
/// parsed. So `a.b = 1` and `a = {"c":2}` become one map with two members, and `m = [{"x":1}]` and
/// `m.0.y = 2` become one list.
///
/// The tree contains views of the attributes and of `texts`: both must outlive it.
class AttributeTree {
 public:
  AttributeTree() : root_(Map()) {}

  /// Builds the tree. A later value replaces an earlier one; lists and maps are merged. The size of
  /// the tree is limited by the size of the request: all lists together have at most one empty item
  /// per attribute plus a small constant, and JSON texts beyond a limit of values stay texts.
  /// @return kInvalidArgument with the key of an attribute that is a plain value where other
  /// attributes make it a list or a map, or that leaves too many items of a list empty.
  static Result<AttributeTree> build(const Attributes& attributes, TextArena& texts);

  /// Returns the value of a dotted key; numbers are list indexes. Null if the value is missing or
  /// null.
  const Value* find(std::string_view key) const;

  const Value& root() const { return root_; }
  Value& root() { return root_; }

 private:
  Value root_;
};

/// Returns the value with every map whose names are exactly "0" to "n-1" converted to a list, at
/// every depth.
Value withLists(const Value& value);

}  // namespace spindle::otlp
