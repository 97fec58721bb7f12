#pragma once

#include <optional>
#include <string>

#include "base/crypto/secret.h"

namespace spindle::app {

/// The server that a command calls: the flags --url and --key.
struct ServerFlags {
  std::optional<std::string> url;  ///< not set: the server that uses the data folder
  Secret key;  ///< the key, or `@FILE` with its file; empty: the folder's admin key
};

}  // namespace spindle::app
