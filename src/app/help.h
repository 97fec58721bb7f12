#pragma once

#include <string>
#include <string_view>

namespace spindle::app {

/// What `spindle --help` prints: what this is, how to begin, every command.
std::string overviewHelp();

/// What follows the usage of `spindle serve --help`: every settings flag, with examples.
std::string serveHelp();

/// What stands below the options of `spindle model import`.
std::string modelImportHelp();

// What stands below the options of the commands for models, upstreams, limits and usage.
std::string modelAddHelp();
std::string upstreamAddHelp();
std::string limitSetHelp();
std::string usageHelp();

/// What stands below the options of `spindle artifact <command>`.
std::string artifactHelp(std::string_view command);

/// What follows the usage of all other commands.
std::string settingsHint();

}  // namespace spindle::app
