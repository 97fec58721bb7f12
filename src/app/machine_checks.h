#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "app/finding.h"
#include "base/time.h"

namespace spindle::app {

/// A moment on both clocks of the machine.
struct ClockReading {
  Timestamp wall;
  std::chrono::steady_clock::time_point steady;

  static ClockReading now();
};

/// Is the date plausible, and did the wall clock run evenly between two readings?
Finding checkClock(const ClockReading& before, const ClockReading& after);

/// Does a file written now carry the time of now? `skew` is file time minus wall time.
Finding checkFileClock(std::chrono::milliseconds skew);

struct FileLimit {
  std::uint64_t soft = 0;
  std::uint64_t hard = 0;

  static FileLimit ofProcess();
};

/// Can the process open as many files as it would take connections?
Finding checkOpenFiles(const FileLimit& limit, std::int64_t connections);

struct Machine {
  unsigned processors = 0;      ///< that this process may run on
  std::uint64_t memory = 0;     ///< bytes, under the limit of a container where there is one
  std::uint64_t available = 0;  ///< bytes free for use without swapping

  static Machine inspect();
};

Finding checkMachine(const Machine& machine);

}  // namespace spindle::app
