#include "app/commands/settings_commands.h"

#include <cstdio>

#include <fmt/format.h>

#include "config/reference.h"

namespace spindle::app {

int reportSettingsProblems(const config::Loaded& loaded) {
  fmt::print(stderr, "spindle: {} with the settings:\n{}",
             loaded.problems.size() == 1 ? "a problem"
                                         : fmt::format("{} problems", loaded.problems.size()),
             config::listProblems(loaded.problems));
  return 1;
}

int showConfig(const config::Loaded& loaded, const ShowConfigCommand& command) {
  // Printed also with problems: the output shows the source of each value.
  fmt::print("{}", command.json ? config::effectiveJson(loaded) : config::effectiveToml(loaded));
  return loaded.problems.empty() ? 0 : reportSettingsProblems(loaded);
}

int checkConfig(const config::Loaded& loaded) {
  if (!loaded.problems.empty()) return reportSettingsProblems(loaded);
  fmt::print("the settings are valid\n");
  return 0;
}

int printReference() {
  fmt::print("{}", config::referenceMarkdown());
  return 0;
}

}  // namespace spindle::app
