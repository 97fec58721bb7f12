#include "base/core/time.h"

#include <charconv>
#include <cmath>

#include "base/core/ascii.h"

namespace spindle {
namespace {

using std::chrono::days, std::chrono::hours, std::chrono::microseconds, std::chrono::minutes,
    std::chrono::seconds;

constexpr std::string_view kTooShort = "input is too short";
constexpr std::string_view kExtra = "unexpected extra characters at the end of the input";
constexpr double kMillisecondsFrom = 2e10;

/// Parses exactly `count` digits at `at`; returns -1 for other characters or the end of the text.
int digitsAt(std::string_view text, std::size_t at, std::size_t count) {
  if (at + count > text.size()) return -1;
  int value = 0;
  for (std::size_t i = at; i < at + count; ++i) {
    if (!isDigit(text[i])) return -1;
    value = value * 10 + (text[i] - '0');
  }
  return value;
}

void appendPadded(std::string& out, unsigned value, int width) {
  std::string digits = std::to_string(value);
  out.append(static_cast<std::size_t>(width) - std::min<std::size_t>(digits.size(), width), '0');
  out += digits;
}

/// Parses `YYYY-MM-DD` at the start of the text. The order of the checks determines the reported
/// reason.
std::string_view readDate(std::string_view text, std::chrono::sys_days& out) {
  if (text.size() < 10) return kTooShort;
  const int year = digitsAt(text, 0, 4);
  if (year < 0) return "invalid character in year";
  if (text[4] != '-') return "invalid date separator, expected `-`";
  const int month = digitsAt(text, 5, 2);
  if (month < 0) return "invalid character in month";
  if (text[7] != '-') return "invalid date separator, expected `-`";
  const int day = digitsAt(text, 8, 2);
  if (day < 0) return "invalid character in day";
  if (month < 1 || month > 12) return "month value is outside expected range of 1-12";
  const std::chrono::year_month_day date{std::chrono::year(year),
                                         std::chrono::month(static_cast<unsigned>(month)),
                                         std::chrono::day(static_cast<unsigned>(day))};
  if (!date.ok()) return "day value is outside expected range";
  out = date;
  return {};
}

/// Parses `HH:MM[:SS[.f…]]` and moves `at` after it. Ignores fraction digits after the sixth.
bool readTimeOfDay(std::string_view text, std::size_t& at, microseconds& out) {
  const int hour = digitsAt(text, at, 2);
  const int minute = digitsAt(text, at + 3, 2);
  if (hour < 0 || hour > 23 || minute < 0 || minute > 59 || text[at + 2] != ':') return false;
  out = hours(hour) + minutes(minute);
  at += 5;
  if (at >= text.size() || text[at] != ':') return true;
  const int second = digitsAt(text, at + 1, 2);
  if (second < 0 || second > 59) return false;
  out += seconds(second);
  at += 3;
  if (at >= text.size() || (text[at] != '.' && text[at] != ',')) return true;
  const std::size_t first = ++at;
  std::int64_t unit = 100000;
  for (; at < text.size() && isDigit(text[at]); ++at, unit /= 10) {
    out += microseconds(unit * (text[at] - '0'));
  }
  return at > first;
}

/// Parses `Z`, `+HH:MM`, `+HHMM`, `+HH` or nothing, up to the end of the text.
bool readZone(std::string_view text, std::size_t at, minutes& out) {
  out = minutes(0);
  if (at == text.size()) return true;
  const char sign = text[at];
  if (sign == 'Z' || sign == 'z') return at + 1 == text.size();
  if (sign != '+' && sign != '-') return false;
  const int hour = digitsAt(text, at + 1, 2);
  if (hour < 0 || hour > 23) return false;
  at += 3;
  int minute = 0;
  if (at < text.size()) {
    if (text[at] == ':') ++at;
    minute = digitsAt(text, at, 2);
    if (minute < 0 || minute > 59 || at + 2 != text.size()) return false;
  }
  out = hours(hour) + minutes(minute);
  if (sign == '-') out = -out;
  return true;
}

std::optional<Timestamp> readDateTime(std::string_view text) {
  std::chrono::sys_days date;
  if (!readDate(text, date).empty() || text.size() < 16) return std::nullopt;
  if (std::string_view("Tt _").find(text[10]) == std::string_view::npos) return std::nullopt;
  std::size_t at = 11;
  microseconds time{};
  minutes zone{};
  if (!readTimeOfDay(text, at, time) || !readZone(text, at, zone)) return std::nullopt;
  return Timestamp(date) + time - zone;
}

std::optional<double> readNumber(std::string_view text) {
  if (text.empty() || !(isDigit(text[0]) || text[0] == '-')) return std::nullopt;
  for (const char c : text) {
    if (!isDigit(c) && c != '-' && c != '.') return std::nullopt;
  }
  double value = 0;
  const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (failed != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

}  // namespace

std::string formatTimestamp(Timestamp time) {
  const auto day = std::chrono::floor<days>(time);
  const std::chrono::year_month_day date(day);
  const std::chrono::hh_mm_ss<microseconds> clock(time - day);
  std::string out;
  out.reserve(27);
  appendPadded(out, static_cast<unsigned>(static_cast<int>(date.year())), 4);
  out += '-';
  appendPadded(out, static_cast<unsigned>(date.month()), 2);
  out += '-';
  appendPadded(out, static_cast<unsigned>(date.day()), 2);
  out += 'T';
  appendPadded(out, static_cast<unsigned>(clock.hours().count()), 2);
  out += ':';
  appendPadded(out, static_cast<unsigned>(clock.minutes().count()), 2);
  out += ':';
  appendPadded(out, static_cast<unsigned>(clock.seconds().count()), 2);
  if (clock.subseconds().count() != 0) {
    out += '.';
    appendPadded(out, static_cast<unsigned>(clock.subseconds().count()), 6);
  }
  out += 'Z';
  return out;
}

ParsedTimestamp parseTimestamp(std::string_view text) {
  if (std::optional<Timestamp> time = readDateTime(text)) return {time, {}};
  if (const std::optional<double> number = readNumber(text)) {
    if (std::optional<Timestamp> time = timestampFromUnix(*number)) return {time, {}};
    return {std::nullopt,
            {*number < 0 ? "dates before 0000 are not supported as unix timestamps"
                         : "dates after 9999 are not supported as unix timestamps"}};
  }
  std::chrono::sys_days date;
  std::string_view broken = readDate(text, date);
  if (broken.empty() && text.size() > 10) broken = kExtra;
  if (!broken.empty()) return {std::nullopt, {broken}};
  return {Timestamp(date), {}};
}

std::optional<Timestamp> timestampFromUnix(double value) {
  const double in_seconds = std::fabs(value) > kMillisecondsFrom ? value / 1000.0 : value;
  constexpr double kFirst = -62135596800.0;  // 0001-01-01
  constexpr double kLast = 253402300799.999999;
  if (!(in_seconds >= kFirst && in_seconds <= kLast)) return std::nullopt;
  // Separates seconds and fraction, because a double near 2e9 barely keeps a microsecond.
  const double whole = std::floor(in_seconds);
  const auto fraction = static_cast<std::int64_t>(std::llround((in_seconds - whole) * 1e6));
  return Timestamp(seconds(static_cast<std::int64_t>(whole)) + microseconds(fraction));
}

Timestamp SystemClock::now() const {
  return std::chrono::floor<microseconds>(std::chrono::system_clock::now());
}

}  // namespace spindle
