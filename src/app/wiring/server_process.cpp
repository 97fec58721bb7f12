#include "app/wiring/server_process.h"

#include <chrono>
#include <fstream>

#include <sys/resource.h>
#include <unistd.h>

#include "app/wiring/log.h"

namespace spindle::app {
namespace {

double residentBytes() {
  std::ifstream file("/proc/self/statm");
  double total = 0;
  double resident = 0;
  file >> total >> resident;
  return resident * static_cast<double>(::sysconf(_SC_PAGESIZE));
}

}  // namespace

StopSignals::StopSignals() {
  sigemptyset(&set_);
  sigaddset(&set_, SIGTERM);
  sigaddset(&set_, SIGINT);
  pthread_sigmask(SIG_BLOCK, &set_, nullptr);
  // Writing to a closed connection returns an error instead of ending the server.
  signal(SIGPIPE, SIG_IGN);
  // So does writing to a file at its size limit.
  signal(SIGXFSZ, SIG_IGN);
}

bool StopSignals::waitFor(std::chrono::milliseconds limit) const {
  const auto seconds = std::chrono::floor<std::chrono::seconds>(limit);
  const timespec time{seconds.count(), std::chrono::nanoseconds(limit - seconds).count()};
  const int signal_number = sigtimedwait(&set_, nullptr, &time);
  return signal_number > 0;
}

void useLogSettings(const config::LogSettings& settings) {
  const bool text = settings.format == config::LogFormatChoice::kText ||
                    (settings.format == config::LogFormatChoice::kAuto && ::isatty(STDERR_FILENO));
  configureLogging(settings.level, text ? LogFormat::kText : LogFormat::kJson);
}

void raiseFileLimit() {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur >= limit.rlim_max) return;
  limit.rlim_cur = limit.rlim_max;
  if (setrlimit(RLIMIT_NOFILE, &limit) != 0) kLog.warning("file_limit_not_raised");
}

void addProcessMetrics(MetricRegistry& metrics) {
  metrics.gaugeFrom("spindle_process_resident_bytes", "Memory in use.", residentBytes);
  const auto started = std::chrono::steady_clock::now();
  metrics.gaugeFrom("spindle_process_uptime_seconds", "Time since the start.", [started] {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - started).count();
  });
}

}  // namespace spindle::app
