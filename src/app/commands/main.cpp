#include <cstdio>
#include <exception>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "app/cli/command_line.h"
#include "app/commands/artifact_commands.h"
#include "app/commands/automation_commands.h"
#include "app/commands/backup_commands.h"
#include "app/commands/identity_commands.h"
#include "app/commands/inference_commands.h"
#include "app/commands/model_commands.h"
#include "app/commands/price_commands.h"
#include "app/commands/settings_commands.h"
#include "app/commands/trace_commands.h"
#include "app/commands/training_commands.h"
#include "app/doctor/doctor.h"
#include "app/doctor/health_probe.h"
#include "app/doctor/postgres_probe.h"
#include "app/server/version.h"
#include "app/wiring/application.h"
#include "config/loader.h"

/// Configures jemalloc, if the program is linked with it: freed memory returns to the system within
/// one or two seconds.
extern "C" {
extern const char* malloc_conf;
const char* malloc_conf = "narenas:4,dirty_decay_ms:1000,muzzy_decay_ms:0";
}

namespace {

using namespace spindle;  // NOLINT(google-build-using-namespace): the program itself

void print(const std::string& text) { std::fwrite(text.data(), 1, text.size(), stdout); }

int runDoctor(const config::Loaded& loaded, const app::DoctorCommand& command) {
  app::DoctorPorts ports;
  ports.fetch = [&loaded](const std::string& url) {
    return app::fetchHealth(loaded.settings.server, url);
  };
  ports.postgres = app::fetchPostgresVersion;
  const app::Findings findings = app::runDoctorChecks(loaded, ports);
  print(command.json ? app::renderJson(findings) : app::renderText(findings));
  return app::anyFailure(findings) ? 1 : 0;
}

/// Runs a command: one overload per command type. Loads the settings only for commands that use
/// them.
class Dispatcher {
 public:
  explicit Dispatcher(const app::CommandLine& line) : line_(line) {}

  int operator()(const app::HelpCommand& command) const {
    print(command.text);
    return 0;
  }
  int operator()(const app::VersionCommand& /*command*/) const {
    print("spindle " + std::string(app::version()) + "\n");
    return 0;
  }
  int operator()(const app::PrintReferenceCommand& /*command*/) const {
    return app::printReference();
  }
  int operator()(const app::ShowConfigCommand& command) const {
    return app::showConfig(load(), command);
  }
  int operator()(const app::CheckConfigCommand& /*command*/) const {
    return app::checkConfig(load());
  }
  int operator()(const app::DoctorCommand& command) const { return runDoctor(load(), command); }
  int operator()(const app::ServeCommand& command) const {
    const config::Loaded loaded = load();
    return loaded.problems.empty() ? app::serve(loaded.settings, command.start_empty)
                                   : app::reportSettingsProblems(loaded);
  }
  int operator()(const app::BackupCommand& command) const {
    const config::Loaded loaded = load();
    return loaded.problems.empty() ? app::runBackupCommand(loaded, command)
                                   : app::reportSettingsProblems(loaded);
  }
  int operator()(const app::IdentityCommand& command) const {
    const config::Loaded loaded = load();
    return loaded.problems.empty() ? app::runIdentityCommand(loaded.settings, command)
                                   : app::reportSettingsProblems(loaded);
  }
  int operator()(const app::PriceCommand& command) const {
    const config::Loaded loaded = load();
    return loaded.problems.empty() ? app::runPriceCommand(loaded.settings, command)
                                   : app::reportSettingsProblems(loaded);
  }
  int operator()(const app::TraceCommand& command) const {
    const config::Loaded loaded = load();
    return loaded.problems.empty() ? app::runTraceCommand(loaded.settings, command)
                                   : app::reportSettingsProblems(loaded);
  }
  int operator()(const app::AutomationCommand& command) const {
    const config::Loaded loaded = load();
    return loaded.problems.empty() ? app::runAutomationCommand(loaded.settings, command)
                                   : app::reportSettingsProblems(loaded);
  }
  int operator()(const app::InferenceCommand& command) const {
    const config::Loaded loaded = load();
    return loaded.problems.empty() ? app::runInferenceCommand(loaded.settings, command)
                                   : app::reportSettingsProblems(loaded);
  }
  int operator()(const app::TrainingCommand& command) const {
    const config::Loaded loaded = load();
    return loaded.problems.empty() ? app::runTrainingCommand(loaded.settings, command)
                                   : app::reportSettingsProblems(loaded);
  }
  int operator()(const app::ArtifactCommand& command) const {
    const config::Loaded loaded = load();
    return loaded.problems.empty() ? app::runArtifactCommand(loaded.settings, command)
                                   : app::reportSettingsProblems(loaded);
  }
  int operator()(const app::ModelCommand& command) const { return app::runModelCommand(command); }

 private:
  config::Loaded load() const {
    config::Loaded loaded =
        config::load(line_.config_file, line_.flags, config::processEnvironment());
    for (const config::Problem& warning : loaded.warnings) {
      std::fprintf(stderr, "warning: %s: %s\n", warning.where.c_str(), warning.message.c_str());
    }
    return loaded;
  }

  const app::CommandLine& line_;
};

}  // namespace

int main(int argc, char** argv) {
  try {
    const Result<app::CommandLine> line =
        app::parseCommandLine(std::vector<std::string>(argv + 1, argv + argc));
    if (!line) {
      std::fprintf(stderr, "spindle: %s\n", line.error().message().c_str());
      return 2;
    }
    return std::visit(Dispatcher(*line), line->command);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "spindle: %s\n", error.what());
    return 1;
  }
}
