#pragma once

#include "app/cli/backup_command.h"
#include "config/loader.h"

namespace spindle::app {

/// Executes `spindle backup | restore | verify` and prints the result.
/// @return the exit status. @throws std::runtime_error with a message for the operator.
int runBackupCommand(const config::Loaded& loaded, const BackupCommand& command);

}  // namespace spindle::app
