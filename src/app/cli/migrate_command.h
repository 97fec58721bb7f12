#pragma once

#include <string>
#include <vector>

namespace spindle::app {

/// `spindle migrate`: moves the data of one deployment to other stores.
struct MigrateCommand {
  std::string from;  ///< a data folder, or a settings file (*.toml)
  std::string to;
  std::vector<std::string> only;  ///< names of stores; empty: all that differ
  bool start_over = false;
  bool json = false;
};

}  // namespace spindle::app
