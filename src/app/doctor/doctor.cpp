#include "app/doctor/doctor.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <utility>

#include "app/doctor/folder_checks.h"
#include "app/doctor/library_checks.h"
#include "app/doctor/machine_checks.h"

namespace spindle::app {
namespace {

void append(Findings& findings, Findings more) {
  std::move(more.begin(), more.end(), std::back_inserter(findings));
}

Findings checkSettings(const config::Loaded& loaded) {
  Findings findings;
  for (const config::Problem& problem : loaded.problems) {
    findings.push_back(Finding::failure("settings", problem.where + ": " + problem.message,
                                        "see `spindle config check` and docs/configuration.md"));
  }
  if (findings.empty()) findings.push_back(Finding::ok("settings", "valid"));
  for (const config::Problem& warning : loaded.warnings) {
    findings.push_back(Finding::warning("settings", warning.where + ": " + warning.message,
                                        "rename the service, or set enableServiceLinks: false"));
  }
  return findings;
}

Findings checkStorage(const config::Settings& settings) {
  const std::filesystem::path& folder = settings.storage.data_dir;
  Findings findings = checkDataFolder(folder);
  if (const std::optional<std::uintmax_t> space = availableSpace(folder)) {
    findings.push_back(checkDiskSpace(folder, *space));
  }
  findings.push_back(checkLock(holderOf(folder)));
  if (const std::optional<std::chrono::milliseconds> skew = fileClockSkew(folder)) {
    findings.push_back(checkFileClock(*skew));
  }
  return findings;
}

}  // namespace

Findings runDoctorChecks(const config::Loaded& loaded, const DoctorPorts& ports) {
  const ClockReading begin = ClockReading::now();
  const config::Settings& settings = loaded.settings;
  Findings findings = checkSettings(loaded);
  if (loaded.problems.empty()) {
    append(findings, checkStorage(settings));
    append(findings, checkTlsFiles(settings.server));
    findings.push_back(checkPort(settings.server, probePort(settings.server.listen), ports.fetch));
    if (settings.storage.usesPostgres()) {
      findings.push_back(checkPostgres(settings.storage, ports.postgres));
    }
    if (settings.files.usesS3()) {
      findings.push_back(checkBucket(settings.files, ports.bucket));
    }
    if (settings.traces.usesClickHouse()) {
      findings.push_back(checkClickHouse(settings.traces, ports.clickhouse));
    }
  }
  findings.push_back(checkLinkedLibraries());
  for (const NeededLibrary& library : neededLibraries()) {
    findings.push_back(checkLibrary(library));
  }
  findings.push_back(checkOpenFiles(FileLimit::ofProcess(), settings.limits.connections));
  findings.push_back(checkMachine(Machine::inspect()));
  findings.push_back(checkClock(begin, ClockReading::now()));
  return findings;
}

}  // namespace spindle::app
