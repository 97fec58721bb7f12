#pragma once

#include <vector>

#include "base/time.h"
#include "storage/connection.h"
#include "storage/dialect.h"
#include "storage/migration.h"

namespace spindle::storage {

/// Applies the missing migrations; see Database::migrate(). Internal to storage.
void applyMigrations(Connection& connection,
                     Engine engine,
                     const std::vector<AreaSchema>& areas,
                     Timestamp now);

}  // namespace spindle::storage
