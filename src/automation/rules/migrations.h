#pragma once

#include "storage/database/migration.h"

namespace spindle::automation {

/// Returns the database schema of this area. It refers to the tables of identity.
storage::AreaSchema automationSchema();

}  // namespace spindle::automation
