#pragma once

#include "base/core/metrics.h"
#include "base/core/time.h"
#include "config/settings.h"
#include "storage/folder/data_folder.h"

namespace spindle::app {

/// The settings, data folder, metrics and clock of all stacks, which they must not outlive.
struct StackContext {
  const config::Settings& settings;
  const storage::DataFolder& folder;
  MetricRegistry& metrics;
  const Clock& clock;
};

}  // namespace spindle::app
