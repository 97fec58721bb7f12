#pragma once

#include <optional>
#include <string>

#include "json/document.h"

namespace spindle::inference {

/// Parses a text that another program sent. Returns nothing unless it is a JSON object.
std::optional<json::Document> parseObject(std::string text);

}  // namespace spindle::inference
