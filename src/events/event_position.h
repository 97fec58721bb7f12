#pragma once

#include <cstdint>

#include "base/core/result.h"
#include "storage/database/session.h"

namespace spindle::events {

/// Returns the position of the newest committed event, or 0 if no event was ever committed. Assigns
/// positions to events that have none yet. Call it inside a transaction (from Database::write()) to
/// read only later events from then on, independent of the clock.
Result<std::int64_t> latestPosition(storage::Session& session);

}  // namespace spindle::events
