#pragma once

#include <memory>

#include "app/cli/automation_command.h"
#include "app/cli/command_builder.h"

namespace spindle::app {

/// Adds the commands `spindle secret | webhook | automation | deliveries …`.
class AutomationGrammar {
 public:
  AutomationGrammar();
  ~AutomationGrammar();

  /// Adds the commands to the command line, which must not outlive this object.
  void addTo(const CommandBuilder<AutomationCommand>& builder);

 private:
  struct Actions;
  std::unique_ptr<Actions> actions_;
};

}  // namespace spindle::app
