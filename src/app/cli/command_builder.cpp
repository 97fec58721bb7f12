#include "app/cli/command_builder.h"

#include <CLI/CLI.hpp>

namespace spindle::app {

CLI::Option* addPositional(CLI::App* app,
                           const std::string& name,
                           std::string& target,
                           const std::string& text) {
  return app->add_option(name, target, text)->required()->type_name("");
}

}  // namespace spindle::app
