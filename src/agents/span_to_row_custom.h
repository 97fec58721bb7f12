#pragma once

#include <cstddef>

#include "agents/span.h"
#include "otlp/attribute_tree.h"

namespace spindle::agents {

inline constexpr std::size_t kMaxCustomAttributes = 1024;
/// Characters of one text.
inline constexpr std::size_t kMaxCustomText = 262'144;

/// Every attribute that has no column, by its dotted key: what is null, empty or no number is left
/// out, and what is beyond kMaxCustomAttributes. Lists are JSON text.
CustomAttributes customAttributesOf(const otlp::AttributeTree& attributes);

}  // namespace spindle::agents
