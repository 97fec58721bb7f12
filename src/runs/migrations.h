#pragma once

#include "storage/migration.h"

namespace spindle::runs {

storage::AreaSchema runsSchema();

}  // namespace spindle::runs
