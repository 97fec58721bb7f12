#pragma once

#include <optional>
#include <string_view>

#include "json/document.h"

namespace spindle::trainer {

/// Returns a member of an object. Nothing if it is missing or null, or if the node is no object.
inline std::optional<json::Node> memberOf(const json::Node& object, std::string_view name) {
  if (!object.isObject()) return std::nullopt;
  const std::optional<json::Node> found = object.find(name);
  return found && !found->isNull() ? found : std::nullopt;
}

}  // namespace spindle::trainer
