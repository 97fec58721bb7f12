#pragma once

#include "storage/migration.h"

namespace spindle::registry {

/// After those of identity.
storage::AreaSchema registrySchema();

}  // namespace spindle::registry
