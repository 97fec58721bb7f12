#pragma once

#include <string_view>

namespace spindle {

/// Returns true for a path such as `/a` or `/a/b-1.0/` that needs no escaping in a URL and is
/// unambiguously a path.
bool isUrlPath(std::string_view text);

}  // namespace spindle
