#pragma once

#include "storage/migration.h"

namespace spindle::jobs {

storage::AreaSchema jobsSchema();

}  // namespace spindle::jobs
