#pragma once

#include <cstdint>

#include "base/result.h"
#include "storage/session.h"

namespace spindle::events {

/// Returns the position of the newest committed event, or 0 when there was never one. Gives
/// positions to events that have none yet. For a caller inside its own transaction (from
/// Database::write()) that wants only later events from then on, whatever the clock says.
Result<std::int64_t> latestPosition(storage::Session& session);

}  // namespace spindle::events
