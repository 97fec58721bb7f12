#pragma once

#include "app/commands/command_output.h"
#include "app/wiring/identity_stack.h"
#include "config/loader.h"

namespace spindle::app {

/// The data folder of a command, opened as the server opens it. Members are constructed in this
/// order and destroyed in reverse.
struct OpenedFolder {
  /// `used_settings` must outlive this object. @throws std::runtime_error with a message for the
  /// operator.
  explicit OpenedFolder(const config::Settings& used_settings)
      : settings(used_settings),
        folder(settings.storage.data_dir.string()),
        identity({settings, folder, metrics, clock}) {}

  const config::Settings& settings;
  const SystemClock clock = {};
  MetricRegistry metrics = {};
  const storage::DataFolder folder;
  IdentityStack identity;
};

/// Executes the action of a command as runAction() does, on the data folder of the settings.
template <class Runner, class Command>
int runOnFolder(const config::Loaded& loaded, const Command& command) {
  OpenedFolder opened(loaded.settings);
  return runAction<Runner>(command.action, command.json, opened);
}

}  // namespace spindle::app
