#pragma once

#include "storage/migration.h"

namespace spindle::agents {

/// What this area keeps in the metadata database; spans themselves are in the columnar store.
storage::AreaSchema agentsSchema();

}  // namespace spindle::agents
