#pragma once

#include "storage/migration.h"

namespace spindle::identity {

/// What this area keeps in the database.
storage::AreaSchema identitySchema();

}  // namespace spindle::identity
