#pragma once

#include <string_view>

namespace spindle {

/// `/a` or `/a/b-1.0/`: what may stand in a URL as it is, and cannot be taken for anything but a
/// path.
bool isUrlPath(std::string_view text);

}  // namespace spindle
