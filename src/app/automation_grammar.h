#pragma once

#include <memory>

#include "app/automation_command.h"
#include "app/words.h"

namespace spindle::app {

/// The words of `spindle secret | webhook | automation | deliveries …`.
class AutomationGrammar {
 public:
  AutomationGrammar();
  ~AutomationGrammar();

  /// This must outlive what it is added to.
  void addTo(const Words<AutomationCommand>& words);

 private:
  struct Actions;
  std::unique_ptr<Actions> actions_;
};

}  // namespace spindle::app
