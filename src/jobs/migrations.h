#pragma once

#include "storage/database/migration.h"

namespace spindle::jobs {

storage::AreaSchema jobsSchema();

}  // namespace spindle::jobs
