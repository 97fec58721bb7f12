#include <CLI/CLI.hpp>

#include "app/cli/grammars.h"
#include "app/cli/help.h"

namespace spindle::app {
namespace {

/// Adds a command without options of its own.
template <class Parsed>
void addPlain(CommandBuilder& builder, CLI::App* group, const CommandText& text, Parsed command) {
  builder.add(group, text, std::move(command),
              [](const Parsed& parsed) { return Command(parsed); });
}

/// Adds a command whose only option is --json.
template <class Parsed>
void addWithJson(CommandBuilder& builder,
                 CLI::App* group,
                 const CommandText& text,
                 const std::string& json_text) {
  CLI::App* app = builder
                      .add(group, text, Parsed(),
                           [&builder](const Parsed&) { return Command(Parsed{builder.json()}); })
                      .app;
  builder.addJsonFlag(app, json_text);
}

}  // namespace

void addServerCommands(CommandBuilder& builder) {
  const auto [serve, started] =
      builder.add(nullptr, {"serve", "Start the server."}, ServeCommand(),
                  [](const ServeCommand& command) { return Command(command); });
  serve->add_flag("--start-empty", started.start_empty,
                  "Move the content of the data folder to set-aside-TIME and start empty");
  CLI::App* config = builder.group("config", "Print and check the settings.");
  addWithJson<ShowConfigCommand>(builder, config,
                                 {"show", "Print every setting with its value and its source."},
                                 "Print JSON instead of TOML");
  addPlain(builder, config, {"check", "Check the settings without starting the server."},
           CheckConfigCommand());
  addPlain(builder, config, {"docs", "Print the reference of all settings, as Markdown."},
           PrintReferenceCommand());
  addWithJson<DoctorCommand>(builder, nullptr,
                             {"doctor", "Check this machine and print a fix for each problem."},
                             "Print JSON instead of lines");
  addPlain(builder, nullptr, {"version", "Print the version."}, VersionCommand());
  addPlain(builder, nullptr, {"help", "Print the overview."}, HelpCommand{overviewHelp()});
}

}  // namespace spindle::app
