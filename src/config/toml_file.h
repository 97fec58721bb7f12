#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "config/value.h"

namespace spindle::config {

/// One value of a TOML file, or an empty table.
struct TomlEntry {
  std::string key;    ///< dotted: `server.listen`
  std::string where;  ///< `spindle.toml:3:1`
  RawValue value;
};

struct TomlError {
  std::string where;
  std::string message;
};

/// The values of a TOML file in file order, and the syntax errors.
struct TomlContent {
  std::vector<TomlEntry> entries;
  std::vector<TomlError> errors;
};

/// Parses TOML 1.0. `name` is the file name in reported positions.
TomlContent parseToml(std::string_view text, std::string_view name);

}  // namespace spindle::config
