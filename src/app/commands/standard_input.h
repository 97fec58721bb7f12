#pragma once

#include <string>

namespace spindle::app {

/// Reads standard input until its end.
std::string standardInput();

/// Removes the line ends after a secret that was typed or read from a file.
std::string withoutLineEnd(std::string text);

}  // namespace spindle::app
