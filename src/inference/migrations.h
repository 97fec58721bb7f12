#pragma once

#include "storage/migration.h"

namespace spindle::inference {

/// What this area keeps in the database. Stands on the tables of identity.
storage::AreaSchema inferenceSchema();

}  // namespace spindle::inference
