#pragma once

#include <string>

#include "storage/folder/data_folder.h"

namespace spindle::app {

/// Returns the worker name of the server on this data folder. The name stays the same after a
/// restart and is unique, because the folder's lock admits one server at a time.
std::string workerName(const storage::DataFolder& folder);

}  // namespace spindle::app
