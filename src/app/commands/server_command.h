#pragma once

#include <string>
#include <utility>

#include "app/commands/command_output.h"
#include "app/commands/find_server.h"
#include "app/commands/management_client.h"
#include "config/loader.h"

namespace spindle::app {

/// Base of the classes that execute commands of the management API.
class ManagementRunner {
 public:
  /// `json`: --json was given.
  ManagementRunner(transfer::ServerAddress server, bool json)
      : api_(std::move(server)), json_(json) {}

 protected:
  /// Returns `response` with --json, otherwise `text`.
  CommandOutput shown(const json::Document& response, std::string text) const {
    return json_ ? jsonOutput(response) : CommandOutput{.text = std::move(text)};
  }

  ManagementClient api_;
  const bool json_;
};

/// Executes the action of a command as runAction() does, on the server that the flags of the
/// command name.
template <class Runner, class Command>
int runOnServer(const config::Loaded& loaded, const Command& command) {
  const transfer::ServerAddress server = findServer(loaded.settings, command.server);
  if constexpr (requires { command.json; }) {
    return runAction<Runner>(command.action, command.json, server, command.json);
  } else {
    return runAction<Runner>(command.action, false, server);
  }
}

}  // namespace spindle::app
