#pragma once

#include <memory>
#include <string>

#include "backup/take_backup.h"
#include "storage/folder/data_folder.h"
#include "transfer/http_call_api_client.h"

namespace spindle::app {

/// Returns a hold on the data folder of a running server, through its API. Renews the lease of the
/// hold until its end.
std::unique_ptr<backup::DataFolderHold> holdOfServer(transfer::ServerAddress address);

/// Returns a hold on a data folder that no server uses. No server can start on the folder until the
/// hold is destroyed. @throws std::runtime_error when a server uses the folder.
std::unique_ptr<backup::DataFolderHold> holdOfStoppedFolder(const storage::DataFolder& folder);

}  // namespace spindle::app
