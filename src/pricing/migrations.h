#pragma once

#include "storage/database/migration.h"

namespace spindle::pricing {

/// Returns the tables of this area. Apply them after identity's: prices refer to projects.
storage::AreaSchema pricingSchema();

}  // namespace spindle::pricing
