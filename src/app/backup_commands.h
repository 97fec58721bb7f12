#pragma once

#include "app/backup_command.h"
#include "config/loader.h"

namespace spindle::app {

/// Carries out `spindle backup | restore | verify` and prints the outcome.
/// @return the exit status. @throws std::runtime_error with a message for the operator.
int runBackupCommand(const config::Loaded& loaded, const BackupCommand& command);

}  // namespace spindle::app
