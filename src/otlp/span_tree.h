#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "otlp/attribute_tree.h"
#include "otlp/span.h"

namespace spindle::otlp {

/// The resource of some spans, its attributes as a tree.
struct ResourceTree {
  AttributeTree attributes;
  std::uint32_t dropped_attributes_count = 0;
};

/// A span, its attributes as trees. Borrows the span, which must outlive it.
struct SpanTree {
  const Span* span = nullptr;
  AttributeTree attributes;
  std::vector<AttributeTree> events;  ///< in the order of those of the span
  std::vector<AttributeTree> links;
};

// @return kInvalidArgument as AttributeTree::build() does.
Result<ResourceTree> treeOf(const ResourceSpans& resource, TextArena& texts);
Result<SpanTree> treeOf(const Span& span, TextArena& texts);

/// `{"attributes":…,"dropped_attributes_count":…}`
std::string dumpResource(const ResourceTree& resource);
/// The whole span as a JSON object: what is kept beside everything that is taken out of it.
/// `resource_dump` is what dumpResource() gave; when it is empty the object has no resource.
std::string dumpSpan(const SpanTree& span, std::string_view resource_dump);

/// Hex of the id; empty for a parent that is none: no bytes, or eight zeros.
std::string parentIdOf(const Span& span);
/// To the microsecond; times beyond what can be said are the last that can.
Timestamp timeOf(std::uint64_t unix_nano);

}  // namespace spindle::otlp
