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

/// The name of a command and its texts in the help.
struct CommandText {
  const char* name = "";
  const char* summary = "";
  const char* footer = "";  ///< below the options of the command
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
  AddedCommand<Action> add(CLI::App* group, const CommandText& text, Action action, Make make) {
    auto kept = std::make_shared<Action>(std::move(action));
    Action& values = *kept;
    CLI::App* app = addCommand(
        group, text, [kept = std::move(kept), make]() -> Result<Command> { return make(*kept); });
    return {app, values};
  }

  /// Adds a command whose parsed form is a `Group`, such as IdentityCommand: the action with the
  /// flags that all commands of the group have. If `Group` has a member `server`, the command gets
  /// --url and --key; if it has a member `json`, --json.
  template <class Group, class Action>
  AddedCommand<Action> add(
      CLI::App* group,
      const CommandText& text,
      Action action,
      std::initializer_list<Positional<std::type_identity_t<Action>>> positionals = {}) {
    const AddedCommand<Action> added = add(group, text, std::move(action), commandFrom<Group>());
    if constexpr (requires(Group command) { command.server; }) addServerFlags(added.app);
    if constexpr (requires(Group command) { command.json; }) {
      addJsonFlag(added.app, Group::kJsonText);
    }
    for (const Positional<Action>& positional : positionals) {
      addPositional(added.app, positional.name, added.action.*positional.target, positional.text);
    }
    return added;
  }

  /// Returns a `make` for add() that builds a `Group`: the action that `convert` returns for the
  /// parsed values, or its error, with the values of --url, --key and --json.
  template <class Group, class Convert>
  auto commandFrom(Convert convert) const {
    return [this, convert](const auto& values) -> Result<Command> {
      auto action = TRY(convert(values));
      Group command;
      command.action = std::move(action);
      return withFlags(std::move(command));
    };
  }

  /// The same with the parsed values as the action.
  template <class Group>
  auto commandFrom() const {
    return [this](const auto& values) -> Result<Command> {
      Group command;
      command.action = values;
      return withFlags(std::move(command));
    };
  }

  void addServerFlags(CLI::App* app);
  void addJsonFlag(CLI::App* app, const std::string& text);

  /// Returns the value of --json, after parsing.
  bool json() const { return json_; }

  /// Returns the parsed command of `app`; nothing when `app` is a group.
  std::optional<Result<Command>> commandOf(const CLI::App* app) const;

 private:
  using Make = std::function<Result<Command>()>;

  CLI::App* addCommand(CLI::App* group, const CommandText& text, Make make);

  template <class Group>
  Command withFlags(Group command) const {
    if constexpr (requires { command.server; }) command.server = {url_, Secret(key_)};
    if constexpr (requires { command.json; }) command.json = json_;
    return Command(std::move(command));
  }

  CLI::App& root_;
  std::vector<std::pair<const CLI::App*, Make>> commands_;
  bool json_ = false;
  std::optional<std::string> url_;
  std::string key_;
};

}  // namespace spindle::app
