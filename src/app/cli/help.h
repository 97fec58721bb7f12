#pragma once

#include <string>
#include <string_view>

namespace spindle::app {

/// Returns the output of `spindle --help`: purpose, first steps and all commands.
std::string overviewHelp();

/// Returns the text after the usage of `spindle serve --help`: examples and every settings flag.
std::string serveHelp();

/// Returns the text below the options of `spindle model import --help`.
std::string modelImportHelp();

// These return the text below the options of the commands for models, upstreams, limits and usage.
std::string modelAddHelp();
std::string upstreamAddHelp();
std::string limitSetHelp();
std::string usageHelp();

/// Returns the text below the options of `spindle artifact <command> --help`.
std::string artifactHelp(std::string_view command);

/// Returns the text after the usage of all other commands.
std::string settingsHint();

}  // namespace spindle::app
