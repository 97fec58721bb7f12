#pragma once

#include <functional>
#include <string>

#include "app/cli/server_flags.h"

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace spindle::app {

/// The functions with which a grammar adds its groups and commands to the command line.
template <class Command>
struct CommandBuilder {
  /// Returns the command group of this name. Adds the group when it does not exist.
  std::function<CLI::App*(const std::string& name, const std::string& text)> group;
  /// Adds a command to a group, or to `spindle` itself when `group` is null. `make` builds the
  /// parsed command. Commands that call a running server also get --url and --key.
  std::function<CLI::App*(CLI::App* group,
                          const std::string& name,
                          const std::string& text,
                          std::function<Command()> make)>
      leaf;
  /// Returns the values of --url and --key, after parsing.
  std::function<ServerFlags()> server;
};

/// Adds a required argument without a flag.
CLI::Option* addPositional(CLI::App* app,
                           const std::string& name,
                           std::string& target,
                           const std::string& text);

}  // namespace spindle::app
