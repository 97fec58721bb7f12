#pragma once

#include "storage/database/migration.h"

namespace spindle::events {

storage::AreaSchema eventsSchema();

}  // namespace spindle::events
