#pragma once

#include <string>

namespace spindle::app {

/// Returns the content of a file. @throws std::runtime_error with the path when it cannot be read.
std::string fileText(const std::string& path);

/// Reads standard input until its end.
std::string standardInput();

/// Removes the line ends after a secret that was typed or read from a file.
std::string withoutLineEnd(std::string text);

}  // namespace spindle::app
