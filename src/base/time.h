#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace spindle {

/// A moment in UTC, to the microsecond: the precision of every stored and shown time.
using Timestamp = std::chrono::sys_time<std::chrono::microseconds>;

/// `2024-05-01T10:00:00.250000Z`; the fraction has six digits and is left out when zero.
std::string formatTimestamp(Timestamp time);

/// Why a text is not a date-time; `message` completes "Input should be a valid datetime or date, ".
struct TimestampError {
  std::string_view message;
};

struct ParsedTimestamp {
  std::optional<Timestamp> value;
  TimestampError error;
  explicit operator bool() const { return value.has_value(); }
};

/// Reads ISO 8601 / RFC 3339 text (with or without zone, date alone included) or a number of unix
/// seconds or milliseconds written as text. A time without a zone is UTC.
ParsedTimestamp parseTimestamp(std::string_view text);

/// Unix seconds, or milliseconds when |value| > 2e10. Empty when outside the years 1 to 9999.
std::optional<Timestamp> timestampFromUnix(double value);

inline std::int64_t microsOf(Timestamp time) { return time.time_since_epoch().count(); }
inline Timestamp timestampOfMicros(std::int64_t micros) {
  return Timestamp(std::chrono::microseconds(micros));
}

/// Where time comes from; injected wherever behaviour depends on it.
class Clock {
 public:
  virtual ~Clock() = default;
  virtual Timestamp now() const = 0;
};

class SystemClock final : public Clock {
 public:
  Timestamp now() const override;
};

/// A clock that tests move by hand.
class ManualClock final : public Clock {
 public:
  explicit ManualClock(Timestamp start) : now_(start) {}
  Timestamp now() const override { return now_; }
  void advance(std::chrono::microseconds by) { now_ += by; }

 private:
  Timestamp now_;
};

}  // namespace spindle
