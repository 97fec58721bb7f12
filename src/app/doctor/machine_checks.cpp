#include "app/doctor/machine_checks.h"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <fstream>
#include <optional>
#include <thread>

#include <fmt/format.h>
#include <sched.h>
#include <sys/resource.h>

#include "base/core/byte_units.h"

namespace spindle::app {
namespace {

using namespace std::chrono_literals;
using std::chrono::milliseconds;

constexpr std::uint64_t kLeastMemory = 256 * kMiB;
/// Open files other than connections: databases, logs, libraries, outgoing requests.
constexpr std::uint64_t kOtherFiles = 512;

/// Returns the value of `name` in /proc/meminfo, in bytes.
std::uint64_t memoryInfo(std::string_view name) {
  std::ifstream file("/proc/meminfo");
  std::string label;
  std::uint64_t kilobytes = 0;
  std::string unit;
  while (file >> label >> kilobytes) {
    std::getline(file, unit);
    if (label == name) return kilobytes * 1024;
  }
  return 0;
}

std::optional<std::uint64_t> containerLimit(const char* path) {
  std::ifstream file(path);
  std::uint64_t bytes = 0;
  if (!(file >> bytes)) return std::nullopt;  // "max", or no such file
  return bytes;
}

std::string megabytes(std::uint64_t bytes) { return fmt::format("{} MiB", bytes / kMiB); }

}  // namespace

ClockReading ClockReading::now() { return {SystemClock().now(), std::chrono::steady_clock::now()}; }

Finding checkClock(const ClockReading& before, const ClockReading& after) {
  const std::string check = "clock";
  const std::string advice = "set the clock and synchronize it, for example with systemd-timesyncd";
  const std::string now = formatTimestamp(after.wall);
  constexpr auto kEarliest = std::chrono::sys_days(std::chrono::year(2024) / 1 / 1);
  if (after.wall < kEarliest) {
    return Finding::failure(check, fmt::format("is set to {}, which is too far in the past", now),
                            advice);
  }
  const auto wall = std::chrono::duration_cast<milliseconds>(after.wall - before.wall);
  const auto steady = std::chrono::duration_cast<milliseconds>(after.steady - before.steady);
  const milliseconds drift = wall - steady;
  if (drift > 100ms || drift < -100ms) {
    return Finding::warning(check, fmt::format("jumped by {} ms during the checks", drift.count()),
                            advice);
  }
  return Finding::ok(check, now);
}

Finding checkFileClock(milliseconds skew) {
  const std::string check = "file clock";
  if (skew > 2s || skew < -2s) {
    return Finding::warning(
        check,
        fmt::format(
            "the clock of the data folder's file system differs by {} ms from the system clock",
            skew.count()),
        "use a local disk, or synchronize the clock of the network file server");
  }
  return Finding::ok(check, "the data folder's file system agrees with the system clock");
}

FileLimit FileLimit::ofProcess() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return {};
  return {limit.rlim_cur, limit.rlim_max};
}

Finding checkOpenFiles(const FileLimit& limit, std::int64_t connections) {
  const std::string check = "open files";
  const std::uint64_t wanted = static_cast<std::uint64_t>(connections) + kOtherFiles;
  if (limit.soft >= wanted) {
    return Finding::ok(check, fmt::format("{} files may be open; {} connections need {}",
                                          limit.soft, connections, wanted));
  }
  const std::string message = fmt::format("only {} files may be open; {} connections need {}",
                                          limit.soft, connections, wanted);
  const std::string lower = "lower limits.connections";
  if (limit.hard >= wanted) {
    return Finding::warning(
        check, message,
        fmt::format("run `ulimit -n {}` before you start the server, or {}", wanted, lower));
  }
  return Finding::warning(check, message,
                          fmt::format("raise the hard limit ({}) to {}: LimitNOFILE= of a systemd "
                                      "unit, --ulimit nofile= of a container; or {}",
                                      limit.hard, wanted, lower));
}

Machine Machine::inspect() {
  Machine machine;
  cpu_set_t set;
  CPU_ZERO(&set);
  machine.processors = ::sched_getaffinity(0, sizeof(set), &set) == 0
                           ? static_cast<unsigned>(CPU_COUNT(&set))
                           : std::thread::hardware_concurrency();
  machine.memory = memoryInfo("MemTotal:");
  machine.available = memoryInfo("MemAvailable:");
  for (const char* path :
       {"/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"}) {
    const std::optional<std::uint64_t> limit = containerLimit(path);
    if (!limit || *limit >= machine.memory) continue;
    machine.memory = *limit;
    machine.available = std::min(machine.available, *limit);
  }
  return machine;
}

Finding checkMachine(const Machine& machine) {
  const std::string message = fmt::format("{} processor{}, {} of memory, {} available",
                                          machine.processors, machine.processors == 1 ? "" : "s",
                                          megabytes(machine.memory), megabytes(machine.available));
  if (machine.available < kLeastMemory) {
    return Finding::warning(
        "machine", message,
        fmt::format("free some memory: the server needs at least {}", megabytes(kLeastMemory)));
  }
  return Finding::ok("machine", message);
}

}  // namespace spindle::app
