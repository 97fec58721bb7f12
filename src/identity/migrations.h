#pragma once

#include "storage/migration.h"

namespace spindle::identity {

/// Returns the migrations of this area's tables.
storage::AreaSchema identitySchema();

}  // namespace spindle::identity
