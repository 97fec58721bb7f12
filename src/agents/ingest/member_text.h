#pragma once

#include <string_view>

#include "otlp/value.h"

namespace spindle::agents {

/// Returns the text of a member of the map, or an empty string.
inline std::string_view textIn(const otlp::Value& map, std::string_view member) {
  const otlp::Value* value = map.find(member);
  return value == nullptr || value->asText() == nullptr ? std::string_view() : *value->asText();
}

}  // namespace spindle::agents
