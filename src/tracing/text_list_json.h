#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace spindle::tracing {

/// A list of texts as JSON, and back. What is no list of texts reads as none.
std::string textListJson(const std::vector<std::string>& texts);
std::vector<std::string> parseTextList(const std::string& json);

}  // namespace spindle::tracing
