#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/core/result.h"
#include "base/core/time.h"
#include "otlp/attribute_tree.h"
#include "otlp/span.h"

namespace spindle::otlp {

/// A resource with its attributes as a tree.
struct ResourceTree {
  AttributeTree attributes;
  std::uint32_t dropped_attributes_count = 0;
};

/// A span with its attributes as trees. Does not own the span, which must outlive it.
struct SpanTree {
  const Span* span = nullptr;
  AttributeTree attributes;
  std::vector<AttributeTree> events;  ///< in the order of the span's events
  std::vector<AttributeTree> links;
};

// Return the trees of a resource or a span. @return the errors of AttributeTree::build().
Result<ResourceTree> treeOf(const ResourceSpans& resource, TextArena& texts);
Result<SpanTree> treeOf(const Span& span, TextArena& texts);

/// Returns `{"attributes":…,"dropped_attributes_count":…}`.
std::string dumpResource(const ResourceTree& resource);
/// Returns the whole span as a JSON object. It is stored in addition to the extracted columns.
/// `resource_dump` is the result of dumpResource(); if it is empty, the object has no resource.
std::string dumpSpan(const SpanTree& span, std::string_view resource_dump);

/// Returns the parent's id in hex; empty for a root span, whose parent id has no bytes or only
/// zeros.
std::string parentIdOf(const Span& span);
/// Converts to microseconds. A time after the year 9999 becomes the last microsecond of that year.
Timestamp timeOf(std::uint64_t unix_nano);

}  // namespace spindle::otlp
