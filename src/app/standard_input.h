#pragma once

#include <string>

namespace spindle::app {

/// All of a file. @throws std::runtime_error that names it.
std::string fileText(const std::string& path);

/// All of the standard input.
std::string standardInput();

/// A secret as people type or keep it: without the line ends behind it.
std::string withoutLineEnd(std::string text);

}  // namespace spindle::app
