#pragma once

#include <memory>

#include "app/cli/backup_command.h"
#include "app/cli/command_builder.h"

namespace spindle::app {

/// Adds the commands `spindle backup | restore | verify`.
class BackupGrammar {
 public:
  BackupGrammar();
  ~BackupGrammar();

  /// Adds the commands to the command line, which must not outlive this object.
  void addTo(const CommandBuilder<BackupCommand>& builder);

 private:
  struct Actions;
  std::unique_ptr<Actions> actions_;
};

}  // namespace spindle::app
