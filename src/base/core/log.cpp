#include "base/core/log.h"

#include <array>
#include <atomic>

#include <fmt/format.h>
#include <unistd.h>

#include "base/core/lookup.h"
#include "base/core/mutex.h"
#include "base/core/time.h"

namespace spindle {
namespace {

struct Output {
  std::atomic<LogLevel> least{LogLevel::kInfo};
  std::atomic<LogFormat> format{LogFormat::kJson};
  Mutex mutex;
  std::function<void(std::string_view)> sink SPINDLE_GUARDED_BY(mutex);
};

/// The process-wide output. A static object, so that any code can log at any time.
Output& output() {
  static Output instance;
  return instance;
}

constexpr auto kLevelNames = std::to_array<LookupEntry<LogLevel>>({{LogLevel::kDebug, "debug"},
                                                                   {LogLevel::kInfo, "info"},
                                                                   {LogLevel::kWarning, "warning"},
                                                                   {LogLevel::kError, "error"}});

void appendQuoted(std::string& out, std::string_view text) {
  out += '"';
  std::size_t plain = 0;  // start of the characters that need no escape
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    const bool control = static_cast<unsigned char>(c) < 0x20;
    if (c != '"' && c != '\\' && !control) continue;
    out += text.substr(plain, i - plain);
    plain = i + 1;
    if (control) {
      out += fmt::format("\\u{:04x}", static_cast<unsigned>(c));
    } else {
      out += '\\';
      out += c;
    }
  }
  out += text.substr(plain);
  out += '"';
}

struct AppendValue {
  std::string& out;
  void operator()(const std::string& text) const { appendQuoted(out, text); }
  void operator()(std::int64_t number) const { out += fmt::format("{}", number); }
  void operator()(double number) const { out += fmt::format("{}", number); }
  void operator()(bool truth) const { out += truth ? "true" : "false"; }
};

std::string jsonLine(std::string_view level,
                     std::string_view area,
                     std::string_view event,
                     const LogFields& fields) {
  std::string line = fmt::format(R"({{"time":"{}","level":"{}","area":"{}","event":"{}")",
                                 formatTimestamp(SystemClock().now()), level, area, event);
  for (const LogField& field : fields) {
    line += ',';
    appendQuoted(line, field.name);
    line += ':';
    std::visit(AppendValue{line}, field.value);
  }
  line += '}';
  return line;
}

std::string textLine(std::string_view level,
                     std::string_view area,
                     std::string_view event,
                     const LogFields& fields) {
  std::string line =
      fmt::format("{} {:<7} {} {}", formatTimestamp(SystemClock().now()), level, area, event);
  for (const LogField& field : fields) {
    line += fmt::format(" {}=", field.name);
    std::visit(AppendValue{line}, field.value);
  }
  return line;
}

void write(LogLevel level, std::string_view area, std::string_view event, const LogFields& fields) {
  Output& out = output();
  if (level < out.least.load(std::memory_order_relaxed)) return;
  const bool json = out.format.load(std::memory_order_relaxed) == LogFormat::kJson;
  const std::string_view name = lookUp(kLevelNames, level, "");
  std::string line =
      json ? jsonLine(name, area, event, fields) : textLine(name, area, event, fields);
  const MutexLock lock(out.mutex);
  if (out.sink) {
    out.sink(line);
    return;
  }
  line += '\n';
  // One write call per line keeps lines of several processes on one stream complete. A failed write
  // must not stop the server.
  [[maybe_unused]] const ssize_t written = ::write(STDERR_FILENO, line.data(), line.size());
}

}  // namespace

void configureLogging(LogLevel least, LogFormat format) {
  output().least.store(least);
  output().format.store(format);
}

void setLogSinkForTest(std::function<void(std::string_view)> sink) {
  const MutexLock lock(output().mutex);
  output().sink = std::move(sink);
}

void Logger::debug(std::string_view event, const LogFields& fields) const {
  write(LogLevel::kDebug, area_, event, fields);
}
void Logger::info(std::string_view event, const LogFields& fields) const {
  write(LogLevel::kInfo, area_, event, fields);
}
void Logger::warning(std::string_view event, const LogFields& fields) const {
  write(LogLevel::kWarning, area_, event, fields);
}
void Logger::error(std::string_view event, const LogFields& fields) const {
  write(LogLevel::kError, area_, event, fields);
}

}  // namespace spindle
