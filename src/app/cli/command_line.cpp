#include "app/cli/command_line.h"

#include <algorithm>
#include <utility>

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <fmt/format.h>

#include "app/cli/command_builder.h"
#include "app/cli/grammars.h"
#include "app/cli/help.h"
#include "config/declarations.h"
#include "config/nearest.h"

namespace spindle::app {
namespace {

std::string pathOf(const CLI::App* app) {
  return app->get_parent() == nullptr ? "spindle"
                                      : pathOf(app->get_parent()) + " " + app->get_name();
}

/// The grammar of the command line and the parsed values. One object parses one command line.
class Grammar {
 public:
  Grammar() {
    root_.name("spindle");
    root_.set_help_flag("-h,--help", "Print this text");
    root_.allow_extras();
    root_.fallthrough();
    root_.require_subcommand(0, 1);
    root_.get_formatter()->column_width(34);
    root_.get_formatter()->label("REQUIRED", "(required)");
    root_.add_flag("--version", version_, "Print the version");
    root_.add_option("--config", config_file_, "Settings file (TOML)");
    addSettings();
    addServerCommands(builder_);
    addIdentityCommands(builder_);
    addPriceCommands(builder_);
    addTraceCommands(builder_);
    addArtifactCommands(builder_);
    addModelImport(builder_);
    addAutomationCommands(builder_);
    addInferenceCommands(builder_);
    addNodeCommands(builder_);
    addTrainingCommands(builder_);
    addBackupCommands(builder_);
    addMigrateCommand(builder_);
  }
  Grammar(const Grammar&) = delete;
  Grammar& operator=(const Grammar&) = delete;

  Result<CommandLine> parse(const std::vector<std::string>& arguments) {
    try {
      root_.parse(std::vector<std::string>(arguments.rbegin(), arguments.rend()));
    } catch (const CLI::CallForHelp&) {
      return finish(HelpCommand{helpOf(selectedCommand())});
    } catch (const CLI::ParseError& error) {
      // Report unknown flags first: a mistyped flag often causes the missing value.
      if (!root_.remaining(true).empty()) return unexpectedArguments();
      return Error::invalidArgument(explain(error));
    }
    if (!root_.remaining(true).empty()) return unexpectedArguments();
    if (version_) return finish(VersionCommand{});
    CLI::App* chosen = selectedCommand();
    if (chosen == &root_) return finish(HelpCommand{helpOf(chosen)});
    if (std::optional<Result<Command>> made = builder_.commandOf(chosen)) {
      Command command = TRY(*std::move(made));
      return finish(std::move(command));
    }
    return Error::invalidArgument(
        fmt::format("`{}` needs one of: {}", pathOf(chosen), listed(namesBelow(chosen))));
  }

 private:
  void addSettings() {
    for (const config::Setting& setting : config::declarations()) {
      if (setting.flag.empty()) continue;
      CLI::Option* option = nullptr;
      if (setting.is_boolean) {
        const std::string names = setting.flag + "," + setting.negatedFlag() + "{false}";
        option = root_.add_flag(names)->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
      } else {
        option = root_.add_option(setting.flag)->expected(1);
        if (setting.is_list) option->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
      }
      settings_.emplace_back(setting.key, option);
    }
  }

  /// Returns the most specific command that the arguments name.
  CLI::App* selectedCommand() {
    CLI::App* app = &root_;
    while (!app->get_subcommands().empty()) app = app->get_subcommands().front();
    return app;
  }

  std::string helpOf(CLI::App* app) const {
    if (app == &root_) return overviewHelp();
    const bool is_serve = app->get_parent() == &root_ && app->get_name() == "serve";
    std::string text = app->help(pathOf(app->get_parent()));
    while (text.ends_with("\n\n")) text.pop_back();
    return text + (is_serve ? serveHelp() : settingsHint());
  }

  static std::vector<std::string> namesBelow(const CLI::App* app) {
    std::vector<std::string> names;
    for (const CLI::App* sub : app->get_subcommands([](const CLI::App*) { return true; })) {
      names.push_back(sub->get_name());
    }
    return names;
  }

  static std::string listed(const std::vector<std::string>& names) {
    std::string list;
    for (const std::string& name : names) list += (list.empty() ? "" : ", ") + name;
    return list;
  }

  /// Returns all flags of the selected command.
  std::vector<std::string> knownFlags() {
    std::vector<std::string> names;
    for (CLI::App* app = selectedCommand(); app != nullptr; app = app->get_parent()) {
      for (const CLI::Option* option : app->get_options()) {
        for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
      }
    }
    return names;
  }

  std::string unknownFlagMessage(const std::string& argument) {
    const std::string flag = argument.substr(0, argument.find('='));
    std::string nearest = config::nearestName(flag, knownFlags());
    const config::Setting* setting = config::nearestSetting(flag);
    if (nearest.empty() && setting != nullptr) {
      nearest = setting->flag;
      if (nearest.empty()) {
        return fmt::format("{}: not a flag: a secret does not belong on a command line; set {}",
                           flag, setting->environment);
      }
    }
    if (!nearest.empty()) return fmt::format("{}: unknown flag; did you mean {}?", flag, nearest);
    return fmt::format("{}: unknown flag; see `{} --help`", flag, pathOf(selectedCommand()));
  }

  std::string unknownArgumentMessage(const std::string& positional) {
    const CLI::App* chosen = selectedCommand();
    const std::vector<std::string> names = namesBelow(chosen);
    if (names.empty()) {
      return fmt::format("{}: unexpected argument; see `{} --help`", positional, pathOf(chosen));
    }
    const std::string nearest = config::nearestName(positional, names);
    if (nearest.empty()) {
      return fmt::format("{}: unknown command; `{}` takes one of: {}", positional, pathOf(chosen),
                         listed(names));
    }
    return fmt::format("{}: unknown command; did you mean `{} {}`?", positional, pathOf(chosen),
                       nearest);
  }

  /// Returns an error that lists all unknown flags and unexpected arguments.
  Error unexpectedArguments() {
    std::string lines;
    bool after_flag = false;
    for (const std::string& argument : root_.remaining(true)) {
      const bool is_flag = argument.starts_with('-') && argument != "-" && argument != "--";
      // The argument after an unknown flag is probably its value.
      if (is_flag || !after_flag) {
        lines += (lines.empty() ? "" : "\n") +
                 (is_flag ? unknownFlagMessage(argument) : unknownArgumentMessage(argument));
      }
      after_flag = is_flag && argument.find('=') == std::string::npos;
    }
    return Error::invalidArgument(std::move(lines));
  }

  std::string explain(const CLI::ParseError& error) {
    std::string what = error.what();
    if (error.get_name() == "ArgumentMismatch") {
      const bool repeated = what.find("At Most") != std::string::npos;
      what.erase(std::min(what.find(':'), what.size()));
      what += repeated ? ": given more than once" : ": needs a value";
    }
    return fmt::format("{}; see `{} --help`", what, pathOf(selectedCommand()));
  }

  Result<CommandLine> finish(Command command) {
    CommandLine line;
    line.command = std::move(command);
    line.config_file = config_file_;
    for (const auto& [key, option] : settings_) {
      const std::vector<std::string> given = option->reduced_results();
      if (option->count() == 0) continue;
      for (const std::string& text : given) line.flags.push_back({key, text});
    }
    return line;
  }

  CLI::App root_;
  CommandBuilder builder_{root_};
  std::vector<std::pair<std::string, CLI::Option*>> settings_;
  bool version_ = false;
  std::optional<std::string> config_file_;
};

}  // namespace

Result<CommandLine> parseCommandLine(const std::vector<std::string>& arguments) {
  Grammar grammar;
  return grammar.parse(arguments);
}

}  // namespace spindle::app
