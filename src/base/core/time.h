#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace spindle {

/// A UTC time in microseconds, the precision of all stored and returned times.
using Timestamp = std::chrono::sys_time<std::chrono::microseconds>;

/// Formats as `2024-05-01T10:00:00.250000Z`. The fraction has six digits and is omitted when zero.
std::string formatTimestamp(Timestamp time);

/// The reason why a text is not a date-time; `message` completes "Input should be a valid datetime
/// or date, ".
struct TimestampError {
  std::string_view message;
};

struct ParsedTimestamp {
  std::optional<Timestamp> value;
  TimestampError error;
  explicit operator bool() const { return value.has_value(); }
};

/// Parses ISO 8601 / RFC 3339 text (with or without zone, also a date alone), or Unix seconds or
/// milliseconds as text. A time without a zone is UTC.
ParsedTimestamp parseTimestamp(std::string_view text);

/// Converts Unix seconds, or milliseconds when |value| > 2e10. Returns nothing outside the years 1
/// to 9999.
std::optional<Timestamp> timestampFromUnix(double value);

constexpr std::int64_t microsOf(Timestamp time) { return time.time_since_epoch().count(); }
constexpr Timestamp timestampOfMicros(std::int64_t micros) {
  return Timestamp(std::chrono::microseconds(micros));
}

/// The source of the current time; injected where behaviour depends on time.
class Clock {
 public:
  virtual ~Clock() = default;
  virtual Timestamp now() const = 0;
};

class SystemClock final : public Clock {
 public:
  Timestamp now() const override;
};

/// A clock that tests set explicitly.
class ManualClock final : public Clock {
 public:
  explicit ManualClock(Timestamp start) : now_(start) {}
  Timestamp now() const override { return now_; }
  void advance(std::chrono::microseconds by) { now_ += by; }

 private:
  Timestamp now_;
};

}  // namespace spindle
