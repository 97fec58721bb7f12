#pragma once

#include "storage/database/migration.h"

namespace spindle::cluster {

storage::AreaSchema clusterSchema();

}  // namespace spindle::cluster
