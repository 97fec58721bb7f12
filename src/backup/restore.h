#pragma once

#include <string>

#include "backup/backup_folder.h"
#include "backup/folder_check.h"

namespace spindle::backup {

struct RestoreOptions {
  std::string data_folder;
  /// Moves the content of the data folder aside. If false, a folder that is not empty is refused.
  bool replace = false;
  CheckOptions check;
  Timestamp now;
};

struct RestoreOutcome {
  CheckReport report;    ///< of the restored folder
  std::string moved_to;  ///< new path of the old data folder; empty if there was none
};

/// Creates a data folder from a backup point. Checks everything before it changes the data folder:
/// first the objects of the point, then the new folder, which is built beside the final place. The
/// new folder replaces the old one in one step. Must not run while a server has the data folder
/// open. @throws std::runtime_error with a message for the operator; then the data folder is
/// unchanged.
RestoreOutcome restorePoint(const BackupFolder& source,
                            const Manifest& manifest,
                            const RestoreOptions& options);

}  // namespace spindle::backup
