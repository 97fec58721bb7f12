#pragma once

#include "storage/migration.h"

namespace spindle::automation {

/// What this area keeps in the database. Stands on the tables of identity.
storage::AreaSchema automationSchema();

}  // namespace spindle::automation
