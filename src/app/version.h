#pragma once

#include <string_view>

namespace spindle::app {

/// The release, `0.1.0`, as the build knows it.
std::string_view version();

}  // namespace spindle::app
