#pragma once

#include "storage/migration.h"

namespace spindle::pricing {

/// What this area keeps in the database. After identity's: prices belong to projects.
storage::AreaSchema pricingSchema();

}  // namespace spindle::pricing
