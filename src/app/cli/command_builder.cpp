#include "app/cli/command_builder.h"

#include <CLI/CLI.hpp>

namespace spindle::app {

CLI::App* CommandBuilder::group(const std::string& name, const std::string& text) {
  for (CLI::App* known : root_.get_subcommands([](CLI::App*) { return true; })) {
    if (known->get_name() == name) return known;
  }
  CLI::App* app = root_.add_subcommand(name, text);
  app->require_subcommand(0, 1);
  return app;
}

CLI::App* CommandBuilder::addCommand(CLI::App* group,
                                     const std::string& name,
                                     const std::string& text,
                                     Make make) {
  CLI::App* app = (group == nullptr ? &root_ : group)->add_subcommand(name, text);
  commands_.emplace_back(app, std::move(make));
  return app;
}

void CommandBuilder::addServerFlags(CLI::App* app) {
  app->add_option("--url", url_, "Server URL; the server that uses the data folder if omitted")
      ->type_name("URL");
  app->add_option("--key", key_, "API key, or @FILE; the administrator's key if omitted")
      ->type_name("KEY");
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
  return app->add_option(name, target, text)->required()->type_name("");
}

}  // namespace spindle::app
