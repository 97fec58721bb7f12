#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>

#include "app/server_choice.h"

namespace spindle::app {

/// `spindle backup FOLDER`: adds a point.
struct TakeBackup {
  std::string folder;
  bool without_secrets = false;
  bool without_metadata = false;  ///< the metadata is on PostgreSQL and is dumped apart
  std::int64_t keep = 0;          ///< points to keep afterwards; 0: all
  bool list = false;              ///< only print the points
  bool json = false;
};

/// `spindle restore FOLDER`: makes a data folder from a point.
struct RestoreBackup {
  std::string folder;
  std::optional<std::string> point;  ///< empty: the newest
  bool replace = false;
};

/// `spindle verify [FOLDER]`: checks a data folder or a backup folder.
struct VerifyFolder {
  std::string folder;                ///< empty: the data folder of the settings
  std::optional<std::string> point;  ///< of a backup folder; empty: all
  bool json = false;
};

struct BackupCommand {
  std::variant<TakeBackup, RestoreBackup, VerifyFolder> action;
  ServerChoice server;
};

}  // namespace spindle::app
