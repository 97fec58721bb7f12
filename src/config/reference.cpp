#include "config/reference.h"

#include <algorithm>
#include <string_view>

#include <fmt/format.h>

#include "config/declarations.h"

namespace spindle::config {
namespace {

constexpr std::size_t kColumns = 100;
constexpr std::size_t kHelpIndent = 34;

constexpr std::string_view kIntroduction = R"(# Configuration

<!-- Generated from src/config/declarations.cpp by `spindle config docs`. Do not edit by hand. -->

Spindle starts without any configuration. The value of a setting comes from the first of these
sources that has it:

1. a command-line flag: `spindle serve --listen 0.0.0.0:8080`
2. an environment variable: `SPINDLE_LISTEN=0.0.0.0:8080`; an empty one counts as not set
3. a TOML file that `--config` or `SPINDLE_CONFIG` names; the server reads no other file
4. the default

```toml
# spindle.toml
[server]
listen = "0.0.0.0:8080"

[storage]
data_dir = "/var/lib/spindle"
```

`spindle config show` prints the effective value and the source of every setting, with secrets
masked. `spindle config check` checks all settings and changes nothing. The server does not start
with an unknown key, variable or flag, so that a typing error is noticed. Variables of the form that
Kubernetes injects for a service named `spindle` (`SPINDLE_SERVICE_HOST`, `SPINDLE_PORT_8080_TCP`,
…) are ignored with a warning. Changes take effect at the next start.

Durations are whole numbers with a unit: `250ms`, `10s`, `5m`, `2h`, `7d`, or several: `1h30m`.
Sizes are whole numbers with a unit: `512B`, `32KiB`, `64MiB`, `1GiB`; `kB`, `MB` and `GB` count in
thousands; a plain number means bytes. In the environment, commas separate the items of a list, and
booleans are `true` or `false`. On the command line, the flag of a boolean has no value; `--no-…`
turns it off.
)";

/// Wraps a text at spaces to kColumns. Continuation lines start at `indent`.
std::string wrapped(std::string_view text, std::size_t indent) {
  std::string out;
  std::size_t column = indent;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(' '), text.size());
    if (column > indent && column + 1 + end > kColumns) {
      out += '\n' + std::string(indent, ' ');
      column = indent;
    } else if (column > indent) {
      out += ' ';
      ++column;
    }
    out += text.substr(0, end);
    column += end;
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return out;
}

std::string defaultOf(const Setting& setting) { return setting.literal(Settings{}); }

bool isEmptyLiteral(std::string_view literal) { return literal == "\"\"" || literal == "[]"; }

std::string flagCell(const Setting& setting) {
  if (setting.flag.empty()) return "none: a secret does not belong on a command line";
  if (setting.is_boolean) return fmt::format("`{}`, `{}`", setting.flag, setting.negatedFlag());
  return fmt::format("`{}`", setting.flag);
}

std::string settingMarkdown(const Setting& setting) {
  const std::string literal = defaultOf(setting);
  std::string out = fmt::format("\n### `{}`\n\n{}\n\n", setting.key, wrapped(setting.help, 0));
  out += fmt::format("- type: {}\n", setting.type);
  out += fmt::format("- default: {}\n",
                     isEmptyLiteral(literal) ? "empty" : fmt::format("`{}`", literal));
  out += fmt::format("- flag: {}\n", flagCell(setting));
  out += fmt::format("- environment: `{}`\n", setting.environment);
  return out;
}

}  // namespace

std::string referenceMarkdown() {
  std::string out(kIntroduction);
  for (const Section& section : sections()) {
    out += fmt::format("\n## {}: `[{}]`\n\n{}\n", section.title, section.name, section.help);
    for (const Setting& setting : declarations()) {
      if (setting.section() == section.name) out += settingMarkdown(setting);
    }
  }
  return out;
}

std::string flagHelp() {
  std::string out;
  for (const Section& section : sections()) {
    std::string flags;
    for (const Setting& setting : declarations()) {
      if (setting.section() != section.name || setting.flag.empty()) continue;
      std::string left = "  " + setting.flag;
      if (setting.is_boolean) left = fmt::format("  --[no-]{}", setting.flag.substr(2));
      if (!setting.is_boolean) left += setting.is_list ? " LIST" : " VALUE";
      const std::string literal = defaultOf(setting);
      const std::string right = isEmptyLiteral(literal)
                                    ? setting.help
                                    : fmt::format("{} [default: {}]", setting.help, literal);
      flags += fmt::format("{:<{}}", left, kHelpIndent);
      if (left.size() >= kHelpIndent) flags += '\n' + std::string(kHelpIndent, ' ');
      flags += wrapped(right, kHelpIndent) + '\n';
    }
    if (!flags.empty()) out += fmt::format("{}:\n{}\n", section.title, flags);
  }
  return out;
}

std::string effectiveToml(const Loaded& loaded) {
  const std::vector<Setting>& all = declarations();
  std::vector<std::string> lines;
  std::size_t widest = 0;
  for (const Setting& setting : all) {
    lines.push_back(fmt::format("{} = {}", setting.name(), setting.literal(loaded.settings)));
    widest = std::max(widest, std::min<std::size_t>(lines.back().size(), 48));
  }
  std::string out;
  for (const Section& section : sections()) {
    out += fmt::format("{}[{}]\n", out.empty() ? "" : "\n", section.name);
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (all[i].section() != section.name) continue;
      out += fmt::format("{:<{}}  # {}\n", lines[i], widest, loaded.provenance[i].text());
    }
  }
  return out;
}

std::string effectiveJson(const Loaded& loaded) {
  const std::vector<Setting>& all = declarations();
  std::string out = "{";
  for (std::size_t i = 0; i < all.size(); ++i) {
    const std::string text = loaded.provenance[i].text();
    out += fmt::format("{}\n  {}: {{\"value\": {}, \"source\": {}, \"from\": {}}}",
                       i == 0 ? "" : ",", quote(all[i].key), all[i].literal(loaded.settings),
                       quote(text.substr(0, text.find(' '))), quote(loaded.provenance[i].detail));
  }
  return out + "\n}\n";
}

}  // namespace spindle::config
