#pragma once

#include <vector>

#include "base/core/time.h"
#include "storage/database/connection.h"
#include "storage/database/dialect.h"
#include "storage/database/migration.h"

namespace spindle::storage {

/// Applies the missing migrations; see Database::migrate(). Internal to storage.
void applyMigrations(Connection& connection,
                     Engine engine,
                     const std::vector<AreaSchema>& areas,
                     Timestamp now);

}  // namespace spindle::storage
