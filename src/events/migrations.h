#pragma once

#include "storage/migration.h"

namespace spindle::events {

storage::AreaSchema eventsSchema();

}  // namespace spindle::events
