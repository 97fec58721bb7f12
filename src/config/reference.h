#pragma once

#include <string>

#include "config/loader.h"

namespace spindle::config {

/// docs/configuration.md: every setting with its names, type, default and meaning.
std::string referenceMarkdown();

/// The settings flags for a --help text, by section, wrapped to 100 columns.
std::string flagHelp();

/// The effective settings as a TOML file whose comments name the source of each value.
std::string effectiveToml(const Loaded& loaded);

/// The same as one JSON object: key → {"value": …, "source": …, "from": …}.
std::string effectiveJson(const Loaded& loaded);

}  // namespace spindle::config
