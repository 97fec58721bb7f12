#pragma once

#include <chrono>
#include <csignal>

#include "base/core/metrics.h"
#include "config/settings.h"

namespace spindle::app {

/// The signals that stop the server, blocked in every thread except the one that waits for them.
class StopSignals {
 public:
  /// Create it before any thread starts: threads inherit the signal mask.
  StopSignals();

  /// Returns true when a signal arrived, false after the timeout.
  bool waitFor(std::chrono::milliseconds limit) const;

 private:
  sigset_t set_{};
};

/// Sets the level and format of the log.
void useLogSettings(const config::LogSettings& settings);

/// Raises the limit of open files to the hard limit: every connection is an open file, and the
/// usual soft limit is 1024.
void raiseFileLimit();

/// Adds the memory and the uptime of the process.
void addProcessMetrics(MetricRegistry& metrics);

}  // namespace spindle::app
