#pragma once

#include <string>

#include "backup/backup_folder.h"
#include "backup/folder_check.h"

namespace spindle::backup {

struct RestoreOptions {
  std::string data_folder;
  /// What is in the data folder is moved beside it. False: a folder that is not empty is refused.
  bool replace = false;
  CheckOptions check;
  Timestamp now;
};

struct RestoreOutcome {
  CheckReport report;    ///< of the restored folder
  std::string moved_to;  ///< where the old data folder is now; empty when there was none
};

/// Makes a data folder from a backup point. Everything is checked before the data folder is
/// touched: the objects of the point first, then the folder that was made of them, beside its final
/// place. It takes that place in one step. Must not run while a server has the data folder open.
/// @throws std::runtime_error with a message for the operator; then the data folder is as before.
RestoreOutcome restorePoint(const BackupFolder& source,
                            const Manifest& manifest,
                            const RestoreOptions& options);

}  // namespace spindle::backup
