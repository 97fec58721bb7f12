#include "app/commands/command_runner.h"

#include <cstdio>
#include <string>
#include <variant>

#include "app/commands/command_groups.h"
#include "app/commands/settings_commands.h"
#include "app/doctor/bucket_probe.h"
#include "app/doctor/clickhouse_probe.h"
#include "app/doctor/doctor.h"
#include "app/doctor/health_probe.h"
#include "app/doctor/postgres_probe.h"
#include "app/server/version.h"
#include "app/wiring/application.h"
#include "config/loader.h"

namespace spindle::app {
namespace {

int printAll(const std::string& text) {
  std::fwrite(text.data(), 1, text.size(), stdout);
  return 0;
}

int runDoctor(const config::Loaded& loaded, const DoctorCommand& command) {
  DoctorPorts ports;
  ports.fetch = [&loaded](const std::string& url) {
    return fetchHealth(loaded.settings.server, url);
  };
  ports.postgres = fetchPostgresVersion;
  ports.bucket = probeBucket;
  ports.clickhouse = probeClickHouse;
  const Findings findings = runDoctorChecks(loaded, ports);
  printAll(command.json ? renderJson(findings) : renderText(findings));
  return anyFailure(findings) ? 1 : 0;
}

class CommandDispatcher {
 public:
  explicit CommandDispatcher(const CommandLine& line) : line_(line) {}

  // These commands need no settings.
  int operator()(const HelpCommand& command) const { return printAll(command.text); }
  int operator()(const VersionCommand& /*command*/) const {
    return printAll("spindle " + std::string(version()) + "\n");
  }
  int operator()(const PrintReferenceCommand& /*command*/) const { return printReference(); }
  int operator()(const ModelCommand& command) const { return importModel(command); }

  int operator()(const MigrateCommand& command) const { return migrate(command); }

  // These report problems of the settings themselves.
  int operator()(const ShowConfigCommand& command) const { return showConfig(load(), command); }
  int operator()(const CheckConfigCommand& /*command*/) const { return checkConfig(load()); }
  int operator()(const DoctorCommand& command) const { return runDoctor(load(), command); }

  /// All other commands need valid settings.
  template <class Group>
  int operator()(const Group& command) const {
    const config::Loaded loaded = load();
    return loaded.problems.empty() ? runGroup(loaded, command) : reportSettingsProblems(loaded);
  }

 private:
  config::Loaded load() const {
    config::Loaded loaded =
        config::load(line_.config_file, line_.flags, config::processEnvironment());
    for (const config::Problem& warning : loaded.warnings) {
      std::fprintf(stderr, "warning: %s: %s\n", warning.where.c_str(), warning.message.c_str());
    }
    return loaded;
  }

  const CommandLine& line_;
};

}  // namespace

int runGroup(const config::Loaded& loaded, const ServeCommand& command) {
  return serve(loaded.settings, command.start_empty);
}

int runCommand(const CommandLine& line) {
  return std::visit(CommandDispatcher(line), line.command);
}

}  // namespace spindle::app
