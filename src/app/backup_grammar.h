#pragma once

#include <memory>

#include "app/backup_command.h"
#include "app/words.h"

namespace spindle::app {

/// The words of `spindle backup | restore | verify`.
class BackupGrammar {
 public:
  BackupGrammar();
  ~BackupGrammar();

  /// This must outlive what it is added to.
  void addTo(const Words<BackupCommand>& words);

 private:
  struct Actions;
  std::unique_ptr<Actions> actions_;
};

}  // namespace spindle::app
