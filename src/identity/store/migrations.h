#pragma once

#include "storage/database/migration.h"

namespace spindle::identity {

/// Returns the migrations of this area's tables.
storage::AreaSchema identitySchema();

}  // namespace spindle::identity
