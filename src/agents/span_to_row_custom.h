#pragma once

#include <cstddef>

#include "agents/span.h"
#include "otlp/attribute_tree.h"

namespace spindle::agents {

inline constexpr std::size_t kMaxCustomAttributes = 1024;
/// Bytes of all dotted keys of a span together, and of one: a key repeats the names of the maps
/// around it, so that keys may be far longer than what was sent.
inline constexpr std::size_t kMaxCustomKeys = 131'072;
inline constexpr std::size_t kMaxCustomKey = 4096;
/// Characters of one text.
inline constexpr std::size_t kMaxCustomText = 262'144;

/// Every attribute that has no column, by its dotted key: what is null, empty or no number is left
/// out, and what is beyond kMaxCustomAttributes, kMaxCustomKeys and kMaxCustomKey. Lists are JSON
/// text.
CustomAttributes customAttributesOf(const otlp::AttributeTree& attributes);

}  // namespace spindle::agents
