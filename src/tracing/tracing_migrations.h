#pragma once

#include "storage/migration.h"

namespace spindle::tracing {

/// What this area keeps in the metadata database; calls themselves are in the columnar store.
storage::AreaSchema tracingSchema();

}  // namespace spindle::tracing
