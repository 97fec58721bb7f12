#pragma once

#include <string>

namespace spindle::app {

/// What `spindle --help` prints: what this is, how to begin, every command.
std::string overviewHelp();

/// What follows the usage of `spindle serve --help`: every settings flag, with examples.
std::string serveHelp();

/// What follows the usage of all other commands.
std::string settingsHint();

}  // namespace spindle::app
