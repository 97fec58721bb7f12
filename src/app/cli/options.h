#pragma once

#include <string>

#include <CLI/CLI.hpp>

namespace spindle::app {

/// Adds an option with a value, or an argument if `name` is not a flag. Help texts show `type`
/// after the name.
template <class T>
CLI::Option* addOption(CLI::App* app,
                       const std::string& name,
                       T& target,
                       const std::string& type,
                       const std::string& text) {
  return app->add_option(name, target, text)->type_name(type);
}

}  // namespace spindle::app
