#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace spindle {

enum class LogLevel { kDebug, kInfo, kWarning, kError };
enum class LogFormat { kJson, kText };

using LogValue = std::variant<std::string, std::int64_t, double, bool>;

/// One named value of a log line.
struct LogField {
  LogField(std::string_view field_name, std::string_view text)
      : name(field_name), value(std::string(text)) {}
  LogField(std::string_view field_name, const char* text)
      : name(field_name), value(std::string(text)) {}
  LogField(std::string_view field_name, bool truth) : name(field_name), value(truth) {}
  LogField(std::string_view field_name, double number) : name(field_name), value(number) {}
  template <class Integer>
  requires std::is_integral_v<Integer> LogField(std::string_view field_name, Integer number)
      : name(field_name), value(static_cast<std::int64_t>(number)) {}

  std::string_view name;
  LogValue value;
};

using LogFields = std::vector<LogField>;

/// Sets the minimum level and the format for the whole process. Call before threads start.
void configureLogging(LogLevel least, LogFormat format);

/// Redirects log lines from stderr to `sink`. Each call gets one complete line without line break.
void setLogSinkForTest(std::function<void(std::string_view)> sink);

/// Writes log lines of one area. `event` is a stable snake_case word; all other data goes into
/// fields. Never pass a secret. Thread-safe.
class Logger {
 public:
  explicit constexpr Logger(std::string_view area) : area_(area) {}

  void debug(std::string_view event, const LogFields& fields = {}) const;
  void info(std::string_view event, const LogFields& fields = {}) const;
  void warning(std::string_view event, const LogFields& fields = {}) const;
  void error(std::string_view event, const LogFields& fields = {}) const;

 private:
  std::string_view area_;
};

}  // namespace spindle
