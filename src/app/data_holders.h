#pragma once

#include <memory>
#include <string>

#include "backup/take_backup.h"
#include "storage/data_folder.h"
#include "transfer/http_call_server.h"

namespace spindle::app {

/// Holds the data folder of a running server through its API, and renews the lease meanwhile.
std::unique_ptr<backup::DataHolder> holderOfServer(transfer::ServerAddress address);

/// Holds a data folder that no server has open: keeps servers out until it is destroyed.
/// @throws std::runtime_error when a server has it open.
std::unique_ptr<backup::DataHolder> holderOfFolder(const storage::DataFolder& folder);

}  // namespace spindle::app
