#pragma once

#include "storage/database/migration.h"

namespace spindle::s3 {

storage::AreaSchema s3Schema();

}  // namespace spindle::s3
