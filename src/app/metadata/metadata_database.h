#pragma once

#include <vector>

#include "config/settings.h"
#include "storage/database/database.h"
#include "storage/folder/data_folder.h"

namespace spindle::app {

/// Returns the schemas of all areas, each after those that its foreign keys refer to.
std::vector<storage::AreaSchema> metadataSchemas();

/// Returns the options of the metadata database of the settings.
storage::DatabaseOptions metadataOptions(const config::Settings& settings,
                                         const storage::DataFolder& folder);

}  // namespace spindle::app
