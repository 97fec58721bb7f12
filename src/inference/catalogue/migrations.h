#pragma once

#include "storage/database/migration.h"

namespace spindle::inference {

/// The tables of this area in the metadata database. They refer to the tables of identity.
storage::AreaSchema inferenceSchema();

}  // namespace spindle::inference
