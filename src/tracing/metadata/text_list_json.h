#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace spindle::tracing {

/// Converts a list of strings to JSON and back. Other JSON parses as an empty list.
std::string textListJson(const std::vector<std::string>& texts);
std::vector<std::string> parseTextList(const std::string& json);

}  // namespace spindle::tracing
