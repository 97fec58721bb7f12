#pragma once

#include <functional>
#include <string>

#include "app/server_choice.h"

namespace CLI {
class App;
}

namespace spindle::app {

/// How commands that talk to a running server are added to those there are.
template <class Command>
struct Words {
  /// The group of that name; made when there is none yet.
  std::function<CLI::App*(const std::string& name, const std::string& text)> group;
  /// A command of a group, or of `spindle` itself when that is null.
  std::function<CLI::App*(CLI::App* group,
                          const std::string& name,
                          const std::string& text,
                          std::function<Command()> make)>
      leaf;
  std::function<ServerChoice()> server;
};

}  // namespace spindle::app
