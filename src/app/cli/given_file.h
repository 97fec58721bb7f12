#pragma once

#include <string>

namespace spindle::app {

/// Returns the content of a file that a user named.
/// @throws std::runtime_error with the path and the reason when it cannot be read.
std::string fileText(const std::string& path);

}  // namespace spindle::app
