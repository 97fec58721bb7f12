#pragma once

#include <memory>

#include "app/cli/command_builder.h"
#include "app/cli/training_command.h"

namespace spindle::app {

/// Adds the commands `spindle train ls | show | cancel` and `spindle trajectories export`.
class TrainingGrammar {
 public:
  TrainingGrammar();
  ~TrainingGrammar();

  /// Adds the commands to the command line, which must not outlive this object.
  void addTo(const CommandBuilder<TrainingCommand>& builder);

 private:
  struct Actions;

  void addExport(const CommandBuilder<TrainingCommand>& builder);

  std::unique_ptr<Actions> actions_;
};

}  // namespace spindle::app
