#pragma once

#include <string_view>

#include "base/result.h"
#include "otlp/span.h"
#include "otlp/value.h"

namespace spindle::otlp {

/// Attributes as a tree: keys are divided at their dots, and texts that are JSON lists or objects
/// are taken for what they say. So `a.b = 1` and `a = {"c":2}` are one map with two members, and
/// `m = [{"x":1}]` and `m.0.y = 2` one list.
///
/// Views of the attributes and of `texts`: both must outlive the tree.
class AttributeTree {
 public:
  AttributeTree() : root_(Map()) {}

  /// A later value takes the place of an earlier one; lists and maps are merged. The tree is
  /// bounded by what was sent: lists have at most one empty place for each attribute, and a few
  /// more; of very large texts in JSON the rest stay texts.
  /// @return kInvalidArgument with the key of an attribute that is a plain value where others make
  /// it a list or a map, or that leaves too many places of a list empty.
  static Result<AttributeTree> build(const Attributes& attributes, TextArena& texts);

  /// The value of a dotted key; numbers are positions in lists. Null when there is none, or it is
  /// null.
  const Value* find(std::string_view key) const;

  const Value& root() const { return root_; }
  Value& root() { return root_; }

 private:
  Value root_;
};

/// The value with every map whose names are exactly "0" to "n-1" made a list, at every depth.
Value withLists(const Value& value);

}  // namespace spindle::otlp
