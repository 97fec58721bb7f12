#include "app/cli/command_builder.h"

#include <CLI/CLI.hpp>

#include "app/cli/options.h"

namespace spindle::app {

CLI::App* CommandBuilder::group(const std::string& name, const std::string& text) {
  for (CLI::App* known : root_.get_subcommands([](CLI::App*) { return true; })) {
    if (known->get_name() == name) return known;
  }
  CLI::App* app = root_.add_subcommand(name, text);
  app->require_subcommand(0, 1);
  return app;
}

CLI::App* CommandBuilder::addCommand(CLI::App* group, const CommandText& text, Make make) {
  CLI::App* app = (group == nullptr ? &root_ : group)->add_subcommand(text.name, text.summary);
  if (*text.footer != '\0') app->footer(text.footer);
  commands_.emplace_back(app, std::move(make));
  return app;
}

void CommandBuilder::addServerFlags(CLI::App* app) {
  addOption(app, "--url", url_, "URL",
            "Server URL; the server that uses the data folder if omitted");
  addOption(app, "--key", key_, "KEY", "API key, or @FILE; the administrator's key if omitted");
}

void CommandBuilder::addJsonFlag(CLI::App* app, const std::string& text) {
  app->add_flag("--json", json_, text);
}

std::optional<Result<Command>> CommandBuilder::commandOf(const CLI::App* app) const {
  for (const auto& [known, make] : commands_) {
    if (known == app) return make();
  }
  return std::nullopt;
}

CLI::Option* addPositional(CLI::App* app,
                           const std::string& name,
                           std::string& target,
                           const std::string& text) {
  return addOption(app, name, target, "", text)->required();
}

}  // namespace spindle::app
