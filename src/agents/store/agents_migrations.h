#pragma once

#include "storage/database/migration.h"

namespace spindle::agents {

/// Returns the tables of this area in the metadata database. Spans are in the columnar store.
storage::AreaSchema agentsSchema();

}  // namespace spindle::agents
