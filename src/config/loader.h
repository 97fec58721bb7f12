#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "config/settings.h"

namespace spindle::config {

/// A command-line flag of a setting. The flag of a list may occur more than once.
struct FlagValue {
  std::string key;  ///< of the setting
  std::string text;
};

struct NamedText {
  std::string name;
  std::string text;
};

/// All sources of settings. An earlier member has precedence over a later one.
struct Sources {
  std::vector<FlagValue> flags;
  std::vector<NamedText> environment;  ///< variables without the prefix SPINDLE_ are ignored
  std::optional<NamedText> file;       ///< name and content of the TOML file
};

enum class Origin { kDefault, kFile, kEnvironment, kFlag };

/// The source of a setting's value.
struct Provenance {
  Origin origin = Origin::kDefault;
  std::string detail;  ///< `--listen`, `SPINDLE_LISTEN`, `spindle.toml:3:1`; empty for a default

  /// Returns `flag --listen`, `default`.
  std::string text() const;
};

/// An error that prevents the server from starting, or a warning.
struct Problem {
  std::string where;    ///< `spindle.toml:3:1`, `SPINDLE_LISTEN`, `--listen`
  std::string message;  ///< the problem and its remedy, in one line; never contains a secret
};

struct Loaded {
  Settings settings;
  std::vector<Problem> warnings;       ///< ignored input; the settings are usable
  std::vector<Provenance> provenance;  ///< one for each of declarations(), in the same order
  std::vector<Problem> problems;       ///< empty: the settings are usable
};

/// Determines the value of every setting and checks the settings against each other. Reports all
/// problems at once.
Loaded resolve(const Sources& sources);

/// Reads the configuration file and calls resolve(). The file is the one that `config_file` (the
/// flag --config) names, else the one of SPINDLE_CONFIG, else none. A file that cannot be read is a
/// problem.
Loaded load(const std::optional<std::string>& config_file,
            std::vector<FlagValue> flags,
            std::vector<NamedText> environment);

/// Returns the environment variables of this process that start with SPINDLE_.
std::vector<NamedText> processEnvironment();

/// Formats the problems, one per line: `where: message`.
std::string listProblems(const std::vector<Problem>& problems);

inline constexpr std::string_view kConfigEnvironment = "SPINDLE_CONFIG";

}  // namespace spindle::config
