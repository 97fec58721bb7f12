#pragma once

#include <functional>
#include <memory>
#include <string>

#include "app/automation_command.h"

namespace CLI {
class App;
}

namespace spindle::app {

/// The words of `spindle secret | webhook | automation | deliveries …`.
class AutomationGrammar {
 public:
  /// How commands are added to those there are.
  struct Words {
    std::function<CLI::App*(const std::string& name, const std::string& text)> group;
    std::function<CLI::App*(CLI::App* group,
                            const std::string& name,
                            const std::string& text,
                            std::function<AutomationCommand()> make)>
        leaf;
    std::function<ServerChoice()> server;
  };

  AutomationGrammar();
  ~AutomationGrammar();

  /// This must outlive what it is added to.
  void addTo(const Words& words);

 private:
  struct Actions;
  std::unique_ptr<Actions> actions_;
};

}  // namespace spindle::app
