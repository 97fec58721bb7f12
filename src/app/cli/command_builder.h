#pragma once

#include <functional>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "app/cli/command_line.h"
#include "app/cli/server_flags.h"

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace spindle::app {

/// Adds a required argument without a flag.
CLI::Option* addPositional(CLI::App* app,
                           const std::string& name,
                           std::string& target,
                           const std::string& text);

/// A command that was added to the command line, and the values that its options set.
template <class Action>
struct AddedCommand {
  CLI::App* app;
  Action& action;
};

/// A required argument without a flag, and the member of the action that holds its value.
template <class Action>
struct Positional {
  const char* name;
  std::string Action::*target;
  const char* text;
};

/// Adds groups and commands to the command line. Owns the values that their options set.
class CommandBuilder {
 public:
  /// `root` is `spindle` itself. It must outlive this object and must not parse after its end.
  explicit CommandBuilder(CLI::App& root) : root_(root) {}
  CommandBuilder(const CommandBuilder&) = delete;
  CommandBuilder& operator=(const CommandBuilder&) = delete;

  /// Returns the command group of this name. Adds the group when it does not exist.
  CLI::App* group(const std::string& name, const std::string& text);

  /// Adds a command to a group, or to `spindle` itself when `group` is null. `action` contains the
  /// default values. After parsing, `make` receives the action and returns the command or an error.
  template <class Action, class Make>
  AddedCommand<Action> add(
      CLI::App* group, const std::string& name, const std::string& text, Action action, Make make) {
    auto kept = std::make_shared<Action>(std::move(action));
    Action& values = *kept;
    CLI::App* app =
        addCommand(group, name, text,
                   [kept = std::move(kept), make]() -> Result<Command> { return make(*kept); });
    return {app, values};
  }

  /// Adds a command whose parsed form is a `Group`, such as IdentityCommand: the action with the
  /// flags that all commands of the group have. If `Group` has a member `server`, the command gets
  /// --url and --key; if it has a member `json`, --json.
  template <class Group, class Action>
  AddedCommand<Action> add(
      CLI::App* group,
      const std::string& name,
      const std::string& text,
      Action action,
      std::initializer_list<Positional<std::type_identity_t<Action>>> positionals = {}) {
    const AddedCommand<Action> added =
        add(group, name, text, std::move(action), [this](const Action& values) {
          Group command;
          command.action = values;
          if constexpr (requires { command.server; }) command.server = server();
          if constexpr (requires { command.json; }) command.json = json();
          return Command(std::move(command));
        });
    if constexpr (requires(Group command) { command.server; }) addServerFlags(added.app);
    if constexpr (requires(Group command) { command.json; }) {
      addJsonFlag(added.app, Group::kJsonText);
    }
    for (const Positional<Action>& positional : positionals) {
      addPositional(added.app, positional.name, added.action.*positional.target, positional.text);
    }
    return added;
  }

  void addServerFlags(CLI::App* app);
  void addJsonFlag(CLI::App* app, const std::string& text);

  /// Return the values of the flags, after parsing.
  ServerFlags server() const { return {url_, Secret(key_)}; }
  bool json() const { return json_; }

  /// Returns the parsed command of `app`; nothing when `app` is a group.
  std::optional<Result<Command>> commandOf(const CLI::App* app) const;

 private:
  using Make = std::function<Result<Command>()>;

  CLI::App* addCommand(CLI::App* group,
                       const std::string& name,
                       const std::string& text,
                       Make make);

  CLI::App& root_;
  std::vector<std::pair<const CLI::App*, Make>> commands_;
  bool json_ = false;
  std::optional<std::string> url_;
  std::string key_;
};

}  // namespace spindle::app
