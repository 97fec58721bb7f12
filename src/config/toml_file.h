#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "config/value.h"

namespace spindle::config {

/// One value of a file, or a table without any value in it.
struct TomlEntry {
  std::string key;    ///< dotted: `server.listen`
  std::string where;  ///< `spindle.toml:3:1`
  RawValue value;
};

struct TomlFault {
  std::string where;
  std::string message;
};

/// What a file says, in the order it says it, and what could not be read of it.
struct TomlContent {
  std::vector<TomlEntry> entries;
  std::vector<TomlFault> faults;
};

/// Reads TOML 1.0. `name` is what positions are told against.
TomlContent parseToml(std::string_view text, std::string_view name);

}  // namespace spindle::config
