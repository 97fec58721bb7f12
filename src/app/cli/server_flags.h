#pragma once

#include <optional>
#include <string>
#include <variant>

#include "base/crypto/secret.h"

namespace spindle::app {

/// The server that a command calls: the flags --url and --key.
struct ServerFlags {
  std::optional<std::string> url;  ///< not set: the server that uses the data folder
  Secret key;  ///< the key, or `@FILE` with its file; empty: the folder's admin key
};

/// A command that calls the management API of a server: an action, and the flags of all actions.
template <class... Actions>
struct ManagementCommand {
  std::variant<Actions...> action;
  ServerFlags server;
  bool json = false;

  static constexpr const char* kJsonText = "Print JSON";  ///< text of --json
};

}  // namespace spindle::app
