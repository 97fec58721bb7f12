#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "config/settings.h"
#include "config/value.h"

namespace spindle::config {

/// One setting, declared once. Parsing, environment names, flags, help, reference and listing all
/// come from here.
struct Setting {
  std::string key;          ///< `server.listen`
  std::string environment;  ///< `SPINDLE_LISTEN`
  std::string flag;         ///< `--listen`; empty where a secret must not stand in a process list
  std::string help;         ///< one or more sentences
  std::string type;
  std::string expected;
  std::string example;
  std::string text_example;
  bool secret = false;
  bool is_boolean = false;  ///< the flag stands alone, and `--no-…` exists
  bool is_list = false;     ///< the flag may be given more than once

  /// Puts a value into the settings; false when it does not fit, and nothing has changed.
  std::function<bool(Settings&, const RawValue&)> assign;
  /// The present value as a literal, valid both as TOML and as JSON; secrets masked.
  std::function<std::string(const Settings&)> literal;

  std::string_view section() const { return std::string_view(key).substr(0, key.find('.')); }
  std::string_view name() const { return std::string_view(key).substr(key.find('.') + 1); }
  /// `--no-access-log` of a boolean's flag.
  std::string negatedFlag() const { return "--no-" + flag.substr(2); }
};

struct Section {
  std::string name;   ///< `server`
  std::string title;  ///< `Server`
  std::string help;
};

/// Every section and setting, in the order they are shown. The tables live as long as the program.
const std::vector<Section>& sections();
const std::vector<Setting>& declarations();

/// Null when no setting has that key.
const Setting* findSetting(std::string_view key);

}  // namespace spindle::config
