#pragma once

#include <string>

#include "config/loader.h"

namespace spindle::config {

/// Returns the content of docs/configuration.md: every setting with its names, type, default and
/// description.
std::string referenceMarkdown();

/// Returns the flags of all settings for a --help text, by section, wrapped to 100 columns.
std::string flagHelp();

/// Returns the effective settings as a TOML file. Comments name the source of each value.
std::string effectiveToml(const Loaded& loaded);

/// Returns the effective settings as one JSON object: key → {"value": …, "source": …, "from": …}.
std::string effectiveJson(const Loaded& loaded);

}  // namespace spindle::config
