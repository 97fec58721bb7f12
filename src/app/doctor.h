#pragma once

#include "app/finding.h"
#include "app/network_checks.h"
#include "config/loader.h"

namespace spindle::app {

/// What the doctor asks of parts it does not know.
struct DoctorPorts {
  Fetch fetch;
  PostgresProbe postgres;
};

/// Everything that can be known before a start, and beside a running server. Blocks on disk and
/// network. Of settings with problems only what does not depend on them is checked.
Findings examine(const config::Loaded& loaded, const DoctorPorts& ports);

}  // namespace spindle::app
