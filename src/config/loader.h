#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "config/settings.h"

namespace spindle::config {

/// A flag of the command line that belongs to a setting. A list's flag may occur more than once.
struct FlagValue {
  std::string key;  ///< of the setting
  std::string text;
};

struct NamedText {
  std::string name;
  std::string text;
};

/// Everything settings can come from; an earlier member wins over a later one.
struct Sources {
  std::vector<FlagValue> flags;
  std::vector<NamedText> environment;  ///< what does not start with SPINDLE_ is passed over
  std::optional<NamedText> file;       ///< name and content of the TOML file
};

enum class Origin { kDefault, kFile, kEnvironment, kFlag };

/// Where the value of a setting came from.
struct Provenance {
  Origin origin = Origin::kDefault;
  std::string detail;  ///< `--listen`, `SPINDLE_LISTEN`, `spindle.toml:3:1`; empty for a default

  /// `flag --listen`, `default`.
  std::string text() const;
};

/// Something that must be put right before the server can start.
struct Problem {
  std::string where;    ///< `spindle.toml:3:1`, `SPINDLE_LISTEN`, `--listen`
  std::string message;  ///< what is wrong and what to do, in one line; no secret in it
};

struct Loaded {
  Settings settings;
  std::vector<Problem> warnings;       ///< ignored input: the settings may be used all the same
  std::vector<Provenance> provenance;  ///< one for each of declarations(), in their order
  std::vector<Problem> problems;       ///< empty: the settings may be used
};

/// Settles every setting and checks them against each other; all problems are reported at once.
Loaded resolve(const Sources& sources);

/// The same, with the file read from disk: the one named by `config_file` (the flag --config),
/// else by SPINDLE_CONFIG, else none. A file that cannot be read is a problem.
Loaded load(const std::optional<std::string>& config_file,
            std::vector<FlagValue> flags,
            std::vector<NamedText> environment);

/// The variables of this process that start with SPINDLE_.
std::vector<NamedText> processEnvironment();

/// The problems, one per line: `where: message`.
std::string listProblems(const std::vector<Problem>& problems);

inline constexpr std::string_view kConfigEnvironment = "SPINDLE_CONFIG";

}  // namespace spindle::config
