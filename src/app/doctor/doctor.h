#pragma once

#include "app/doctor/finding.h"
#include "app/doctor/network_checks.h"
#include "config/loader.h"

namespace spindle::app {

/// The functions that the doctor uses to reach other systems.
struct DoctorPorts {
  Fetch fetch;
  PostgresProbe postgres;
  BucketProbe bucket;
  ClickHouseProbe clickhouse;
};

/// Runs all checks that are possible before a start or next to a running server. Blocks on disk and
/// network. With invalid settings, runs only the checks that do not depend on the settings.
Findings runDoctorChecks(const config::Loaded& loaded, const DoctorPorts& ports);

}  // namespace spindle::app
