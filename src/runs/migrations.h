#pragma once

#include "storage/database/migration.h"

namespace spindle::runs {

storage::AreaSchema runsSchema();

}  // namespace spindle::runs
