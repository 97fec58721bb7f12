#pragma once

#include <string_view>

namespace spindle::app {

/// Returns the version of this build, such as `0.1.0`.
std::string_view version();

}  // namespace spindle::app
