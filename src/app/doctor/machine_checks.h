#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "app/doctor/finding.h"
#include "base/core/time.h"

namespace spindle::app {

/// The wall clock and the monotonic clock at the same moment.
struct ClockReading {
  Timestamp wall;
  std::chrono::steady_clock::time_point steady;

  static ClockReading now();
};

/// Checks that the date is plausible and that the wall clock did not jump between two readings.
Finding checkClock(const ClockReading& before, const ClockReading& after);

/// Checks the clock of the file system. `skew` is the time stamp of a new file minus wall time.
Finding checkFileClock(std::chrono::milliseconds skew);

struct FileLimit {
  std::uint64_t soft = 0;
  std::uint64_t hard = 0;

  static FileLimit ofProcess();
};

/// Checks that the limit of open files is large enough for the maximum number of connections.
Finding checkOpenFiles(const FileLimit& limit, std::int64_t connections);

struct Machine {
  unsigned processors = 0;      ///< available to this process
  std::uint64_t memory = 0;     ///< bytes, at most the memory limit of the container
  std::uint64_t available = 0;  ///< bytes available without swapping

  static Machine inspect();
};

Finding checkMachine(const Machine& machine);

}  // namespace spindle::app
