#pragma once

#include "base/core/result.h"
#include "config/settings.h"

namespace spindle::app {

/// Writes, reads and deletes a small object in the bucket of the settings. Blocks for about a
/// minute at most.
/// @return kUnavailable, with the reason, when one of these fails.
Result<void> probeBucket(const config::FileSettings& files);

}  // namespace spindle::app
