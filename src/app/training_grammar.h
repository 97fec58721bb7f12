#pragma once

#include <memory>

#include "app/training_command.h"
#include "app/words.h"

namespace spindle::app {

/// Adds the commands `spindle train ls | show | cancel` and `spindle trajectories export`.
class TrainingGrammar {
 public:
  TrainingGrammar();
  ~TrainingGrammar();

  /// Adds the commands to the command line, which must not outlive this object.
  void addTo(const Words<TrainingCommand>& words);

 private:
  struct Actions;

  void addExport(const Words<TrainingCommand>& words);

  std::unique_ptr<Actions> actions_;
};

}  // namespace spindle::app
