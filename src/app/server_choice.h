#pragma once

#include <optional>
#include <string>

#include "base/secret.h"

namespace spindle::app {

/// The server that a command talks to.
struct ServerChoice {
  std::optional<std::string> url;  ///< empty: the one that runs on the data folder
  Secret key;                      ///< `@FILE` names a file that holds it; empty: the folder's own
};

}  // namespace spindle::app
