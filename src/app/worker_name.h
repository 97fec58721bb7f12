#pragma once

#include <string>

#include "storage/data_folder.h"

namespace spindle::app {

/// Names the process that has this data folder open, now and after a restart: the folder's lock
/// keeps it to one at a time.
std::string workerName(const storage::DataFolder& folder);

}  // namespace spindle::app
