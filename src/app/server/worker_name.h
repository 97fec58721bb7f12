#pragma once

#include <string>

#include "storage/folder/data_folder.h"

namespace spindle::app {

/// Returns the worker name of the server on this data folder. The name stays the same after a
/// restart and is unique among the servers of a host, because the folder's lock admits one server
/// at a time. `shared`: several servers use one database; then the name has a random part, which
/// the folder keeps, because containers may agree in their host name and path.
std::string workerName(const storage::DataFolder& folder, bool shared);

}  // namespace spindle::app
