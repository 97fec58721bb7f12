#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "config/settings.h"
#include "config/value.h"

namespace spindle::config {

/// Declaration of one setting: its names, value type, description and access to the member of
/// Settings. Parsing, environment names, flags, help, reference and listing all use this
/// declaration.
struct Setting {
  std::string key;          ///< `server.listen`
  std::string environment;  ///< `SPINDLE_LISTEN`
  std::string flag;  ///< `--listen`; empty for a secret, which must not appear in a process list
  std::string help;  ///< one or more sentences
  std::string type;
  std::string expected;
  std::string example;
  std::string text_example;
  bool secret = false;
  bool is_boolean = false;  ///< the flag takes no value, and `--no-…` exists
  bool is_list = false;     ///< the flag may occur more than once

  /// Parses the value and stores it in the settings. Returns false, and changes nothing, if the
  /// value is not valid.
  std::function<bool(Settings&, const RawValue&)> assign;
  /// Returns the current value as a literal that is valid TOML and valid JSON. Secrets are masked.
  std::function<std::string(const Settings&)> literal;

  std::string_view section() const { return std::string_view(key).substr(0, key.find('.')); }
  std::string_view name() const { return std::string_view(key).substr(key.find('.') + 1); }
  /// Returns the negated flag of a boolean: `--no-access-log`.
  std::string negatedFlag() const { return "--no-" + flag.substr(2); }
};

struct Section {
  std::string name;   ///< `server`
  std::string title;  ///< `Server`
  std::string help;
};

/// Return all sections and all settings, in display order. The tables live as long as the program.
const std::vector<Section>& sections();
const std::vector<Setting>& declarations();

/// Returns the setting with this key, or null.
const Setting* findSetting(std::string_view key);

}  // namespace spindle::config
