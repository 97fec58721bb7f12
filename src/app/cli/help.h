#pragma once

#include <string>

namespace spindle::app {

/// Returns the output of `spindle --help`: purpose, first steps and all commands.
std::string overviewHelp();

/// Returns the text after the usage of `spindle serve --help`: examples and every settings flag.
std::string serveHelp();

/// Returns the text after the usage of all other commands.
std::string settingsHint();

}  // namespace spindle::app
