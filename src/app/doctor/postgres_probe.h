#pragma once

#include <string>

#include "base/core/result.h"
#include "base/crypto/secret.h"

namespace spindle::app {

/// Connects to a PostgreSQL server and returns its version. Blocks for a few seconds at most.
/// @return kUnavailable, with the reason, when it cannot be reached.
Result<std::string> fetchPostgresVersion(const Secret& uri);

}  // namespace spindle::app
