#include "config/loader.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <system_error>

#include <fmt/format.h>
#include <unistd.h>

#include "config/declarations.h"
#include "config/nearest.h"
#include "config/service_variable.h"
#include "config/toml_file.h"

namespace spindle::config {
namespace {

constexpr std::string_view kEnvironmentPrefix = "SPINDLE_";
constexpr std::uintmax_t kLargestFile = 1024UL * 1024;

/// Returns the rejected value for the error message. Never repeats a secret.
std::string rejectedValueText(const Setting& setting, const RawValue& raw) {
  if (const auto* foreign = std::get_if<UnsupportedValue>(&raw.value)) return foreign->type;
  if (std::holds_alternative<std::vector<std::string>>(raw.value) && !setting.is_list) {
    return "a list";
  }
  if (setting.secret) return "something else";
  if (const auto* text = std::get_if<std::string>(&raw.value)) return quote(*text);
  if (const auto* number = std::get_if<std::int64_t>(&raw.value)) return fmt::format("{}", *number);
  if (std::holds_alternative<double>(raw.value)) return "a number with a fraction";
  if (const auto* truth = std::get_if<bool>(&raw.value)) return *truth ? "true" : "false";
  std::string items;
  for (const std::string& item : std::get<std::vector<std::string>>(raw.value)) {
    items += (items.empty() ? "" : ", ") + quote(item);
  }
  return fmt::format("[{}]", items);
}

class Resolver {
 public:
  Resolver() { loaded_.provenance.resize(declarations().size()); }

  // Called in ascending precedence: a later call overwrites an earlier one.
  void take(const NamedText& file) {
    const TomlContent content = parseToml(file.text, file.name);
    for (const TomlError& toml_error : content.errors) report(toml_error.where, toml_error.message);
    for (const TomlEntry& entry : content.entries) takeEntry(entry);
  }

  void takeEnvironment(const std::vector<NamedText>& environment) {
    for (const NamedText& variable : environment) {
      if (!variable.name.starts_with(kEnvironmentPrefix)) continue;
      if (variable.name == kConfigEnvironment) continue;
      const std::vector<Setting>& all = declarations();
      const auto found = std::find_if(all.begin(), all.end(), [&variable](const Setting& setting) {
        return setting.environment == variable.name;
      });
      if (found == all.end()) {
        if (isServiceVariable(variable.name, variable.text)) {
          loaded_.warnings.push_back({variable.name, "ignored: Kubernetes sets it for a service"});
        } else {
          reportUnknownVariable(variable.name);
        }
        continue;
      }
      // Container tools pass unset variables as empty ones.
      if (variable.text.empty()) continue;
      assign(*found, untyped(variable.text), {Origin::kEnvironment, variable.name});
    }
  }

  void takeFlags(const std::vector<FlagValue>& flags) {
    for (const Setting& setting : declarations()) {
      std::optional<std::string> text;
      for (const FlagValue& flag : flags) {
        if (flag.key != setting.key) continue;
        text = setting.is_list && text ? *text + "," + flag.text : flag.text;
      }
      if (text) assign(setting, untyped(*std::move(text)), {Origin::kFlag, setting.flag});
    }
  }

  Loaded finish() {
    checkCombinations();
    return std::move(loaded_);
  }

  void report(std::string where, std::string message) {
    loaded_.problems.push_back({std::move(where), std::move(message)});
  }

 private:
  void takeEntry(const TomlEntry& entry) {
    const Setting* setting = findSetting(entry.key);
    if (setting != nullptr) {
      assign(*setting, entry.value, {Origin::kFile, entry.where});
      return;
    }
    const bool is_section =
        std::any_of(sections().begin(), sections().end(),
                    [&entry](const Section& section) { return section.name == entry.key; });
    const auto* foreign = std::get_if<UnsupportedValue>(&entry.value.value);
    if (is_section && foreign != nullptr && foreign->type == "a table") return;  // an empty table
    if (is_section) {
      report(entry.where, fmt::format("{0} is a section, not a setting; write [{0}] and the "
                                      "settings below it",
                                      entry.key));
      return;
    }
    const Setting* nearest = nearestSetting(entry.key);
    report(entry.where,
           nearest == nullptr
               ? fmt::format("unknown setting {}; settings are listed by `spindle config docs`",
                             entry.key)
               : fmt::format("unknown setting {}; did you mean {}?", entry.key, nearest->key));
  }

  void reportUnknownVariable(const std::string& name) {
    const Setting* setting = nearestSetting(name);
    const std::string nearest = setting == nullptr
                                    ? nearestName(name, {std::string(kConfigEnvironment)})
                                    : setting->environment;
    report(name, nearest.empty()
                     ? "unknown environment variable; unset it, names are listed by "
                       "`spindle config docs`"
                     : fmt::format("unknown environment variable; did you mean {}?", nearest));
  }

  void assign(const Setting& setting, const RawValue& raw, Provenance provenance) {
    if (!setting.assign(loaded_.settings, raw)) {
      const std::string named = provenance.origin == Origin::kFile ? setting.key + ": " : "";
      report(provenance.detail,
             fmt::format("{}expected {}, such as {}, but found {}", named, setting.expected,
                         raw.typed ? setting.example : setting.text_example,
                         rejectedValueText(setting, raw)));
      return;
    }
    const auto index = static_cast<std::size_t>(&setting - declarations().data());
    loaded_.provenance[index] = std::move(provenance);
  }

  /// Returns the source of a setting's value, for a problem that involves several settings.
  std::string sourceOf(std::string_view key) const {
    const auto index = static_cast<std::size_t>(findSetting(key) - declarations().data());
    const Provenance& provenance = loaded_.provenance[index];
    return provenance.origin == Origin::kDefault ? std::string(key) : provenance.detail;
  }

  void checkCombinations() {
    const ServerSettings& server = loaded_.settings.server;
    const OidcSettings& oidc = loaded_.settings.oidc;
    if (!oidc.issuer.empty() && oidc.client_id.empty()) {
      report(sourceOf("auth.oidc.issuer"),
             "auth.oidc.issuer is set without auth.oidc.client_id; set both or neither");
    }
    if (oidc.issuer.starts_with("http://") && !oidc.issuer.starts_with("http://127.0.0.1") &&
        !oidc.issuer.starts_with("http://localhost")) {
      report(sourceOf("auth.oidc.issuer"), "auth.oidc.issuer must be an https URL");
    }
    if (server.tls_certificate.empty() && !server.tls_key.empty()) {
      report(sourceOf("server.tls_key"),
             "server.tls_key is set without server.tls_certificate; set both or neither");
    }
    if (!server.tls_certificate.empty() && server.tls_key.empty()) {
      report(sourceOf("server.tls_certificate"),
             "server.tls_certificate is set without server.tls_key; set both or neither");
    }
    const bool any_origin = std::find(server.cors_origins.begin(), server.cors_origins.end(),
                                      "*") != server.cors_origins.end();
    if (any_origin && server.cors_credentials) {
      report(sourceOf("server.cors_credentials"),
             "server.cors_credentials cannot be combined with the origin *; name the origins in "
             "server.cors_origins");
    }
    const FileSettings& files = loaded_.settings.files;
    if (files.usesS3() && (files.s3_endpoint.empty() || files.s3_bucket.empty())) {
      report(sourceOf("files.store"),
             "files.store is s3 without files.s3_endpoint and files.s3_bucket; set both");
    }
    const TraceSettings& traces = loaded_.settings.traces;
    if (traces.usesClickHouse() && traces.clickhouse_url.empty()) {
      report(sourceOf("traces.store"),
             "traces.store is clickhouse without traces.clickhouse_url; set both");
    }
    if (loaded_.settings.storage.data_dir.empty()) {
      report(sourceOf("storage.data_dir"),
             "storage.data_dir is empty; name a folder, such as ./spindle-data");
    }
  }

  Loaded loaded_;
};

std::optional<std::string> configPath(const std::optional<std::string>& flag,
                                      const std::vector<NamedText>& environment) {
  if (flag) return flag;
  for (const NamedText& variable : environment) {
    if (variable.name == kConfigEnvironment && !variable.text.empty()) return variable.text;
  }
  return std::nullopt;
}

}  // namespace

std::string Provenance::text() const {
  switch (origin) {
    case Origin::kDefault:
      return "default";
    case Origin::kFile:
      return "file " + detail;
    case Origin::kEnvironment:
      return "environment " + detail;
    case Origin::kFlag:
      return "flag " + detail;
  }
  return {};
}

Loaded resolve(const Sources& sources) {
  Resolver resolver;
  if (sources.file) resolver.take(*sources.file);
  resolver.takeEnvironment(sources.environment);
  resolver.takeFlags(sources.flags);
  return resolver.finish();
}

Loaded load(const std::optional<std::string>& config_file,
            std::vector<FlagValue> flags,
            std::vector<NamedText> environment) {
  Sources sources;
  const std::optional<std::string> path = configPath(config_file, environment);
  const std::string where = config_file ? "--config" : std::string(kConfigEnvironment);
  sources.flags = std::move(flags);
  sources.environment = std::move(environment);
  std::optional<Problem> unreadable;
  if (path) {
    std::error_code error;
    const bool is_file = std::filesystem::is_regular_file(*path, error);
    std::ifstream file(*path, std::ios::binary);
    if (!is_file || !file) {
      const int reason = error ? error.value() : (is_file ? errno : 0);
      unreadable = Problem{
          where,
          fmt::format("cannot read {}: {}", *path,
                      reason == 0 ? "it is not a file" : std::generic_category().message(reason))};
    } else if (std::filesystem::file_size(*path, error) > kLargestFile) {
      unreadable =
          Problem{where, fmt::format("{} is larger than 1 MiB: not a settings file", *path)};
    } else {
      sources.file = NamedText{*path, std::string(std::istreambuf_iterator<char>(file), {})};
    }
  }
  Loaded loaded = resolve(sources);
  if (unreadable) loaded.problems.insert(loaded.problems.begin(), *std::move(unreadable));
  return loaded;
}

std::vector<NamedText> processEnvironment() {
  std::vector<NamedText> variables;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view line = *entry;
    const std::size_t equals = line.find('=');
    if (!line.starts_with(kEnvironmentPrefix) || equals == std::string_view::npos) continue;
    variables.push_back(
        {std::string(line.substr(0, equals)), std::string(line.substr(equals + 1))});
  }
  std::sort(variables.begin(), variables.end(),
            [](const NamedText& a, const NamedText& b) { return a.name < b.name; });
  return variables;
}

std::string listProblems(const std::vector<Problem>& problems) {
  std::string lines;
  for (const Problem& problem : problems) {
    lines += fmt::format("{}: {}\n", problem.where, problem.message);
  }
  return lines;
}

}  // namespace spindle::config
