#pragma once

#include <string>

#include "base/core/result.h"
#include "config/settings.h"

namespace spindle::app {

/// Creates a table in the ClickHouse database of the settings, writes and reads a row, drops the
/// table, and returns the release of the server. Blocks for the timeouts of the settings at most.
/// @return the reason, for the operator, when one of these fails.
Result<std::string> probeClickHouse(const config::TraceSettings& traces);

}  // namespace spindle::app
