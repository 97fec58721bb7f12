#pragma once

#include <cstddef>

#include "agents/store/span.h"
#include "otlp/attribute_tree.h"

namespace spindle::agents {

inline constexpr std::size_t kMaxCustomAttributes = 1024;
/// Limits of the bytes of all dotted keys of a span together, and of one key. A key repeats the
/// names of the maps around it, so keys can be far longer than the request.
inline constexpr std::size_t kMaxCustomKeys = 131'072;
inline constexpr std::size_t kMaxCustomKey = 4096;
/// Limit of the characters of one text.
inline constexpr std::size_t kMaxCustomText = 262'144;

/// Returns every attribute without a column, by its dotted key. Null, empty texts, numbers that are
/// not finite, and attributes beyond kMaxCustomAttributes, kMaxCustomKeys and kMaxCustomKey are
/// omitted. Lists become JSON text.
CustomAttributes customAttributesOf(const otlp::AttributeTree& attributes);

}  // namespace spindle::agents
