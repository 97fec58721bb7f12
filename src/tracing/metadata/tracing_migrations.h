#pragma once

#include "storage/database/migration.h"

namespace spindle::tracing {

/// Returns the tables of this area in the metadata database. Calls are in the columnar store.
storage::AreaSchema tracingSchema();

}  // namespace spindle::tracing
