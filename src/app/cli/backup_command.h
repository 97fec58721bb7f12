#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>

#include "app/cli/server_flags.h"

namespace spindle::app {

/// `spindle backup FOLDER`: adds a backup point.
struct TakeBackup {
  std::string folder;
  bool without_secrets = false;
  bool without_metadata = false;  ///< the metadata is in PostgreSQL and is dumped separately
  std::int64_t keep = 0;          ///< backup points to keep; 0: all
  bool list = false;              ///< only print the backup points
  bool json = false;
};

/// `spindle restore FOLDER`: creates a data folder from a backup point.
struct RestoreBackup {
  std::string folder;
  std::optional<std::string> point;  ///< not set: the newest
  bool replace = false;
};

/// `spindle verify [FOLDER]`: checks a data folder or a backup folder.
struct VerifyFolder {
  std::string folder;                ///< empty: the data folder of the settings
  std::optional<std::string> point;  ///< of a backup folder; not set: all
  bool json = false;
};

struct BackupCommand {
  std::variant<TakeBackup, RestoreBackup, VerifyFolder> action;
  ServerFlags server;
};

}  // namespace spindle::app
