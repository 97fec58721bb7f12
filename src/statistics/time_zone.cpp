#include "statistics/time_zone.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <fstream>
#include <utility>

#include "statistics/zone_rule.h"

namespace spindle::statistics {
namespace {

using std::chrono::seconds, std::chrono::sys_days, std::chrono::sys_seconds;

constexpr std::size_t kMaxFileBytes = 64UL * 1024;
constexpr std::size_t kHeaderBytes = 44;
/// Last year for which a zone's rule is expanded.
constexpr int kLastYear = 2100;

/// Reads numbers from the front of a byte string. Reading past the end returns zeros and sets
/// broken().
class Bytes {
 public:
  explicit Bytes(std::string_view bytes) : bytes_(bytes) {}

  std::int64_t number(std::size_t size) {
    const std::string_view digits = take(size);
    std::uint64_t value = 0;
    for (const char digit : digits) value = value << 8 | static_cast<unsigned char>(digit);
    if (size < 8 && (value >> (8 * size - 1) & 1) != 0) value -= std::uint64_t{1} << (8 * size);
    return static_cast<std::int64_t>(value);
  }
  std::string_view take(std::size_t size) {
    if (size > bytes_.size()) {
      broken_ = true;
      size = 0;
    }
    const std::string_view taken = bytes_.substr(0, size);
    bytes_.remove_prefix(size);
    return taken;
  }
  bool broken() const { return broken_; }

 private:
  std::string_view bytes_;
  bool broken_ = false;
};

/// The numbers of entries of a file, by their sizes.
struct Counts {
  std::size_t times = 0;
  std::size_t types = 0;
  std::size_t leaps = 0;
  std::size_t single_bytes = 0;  ///< letters of abbreviations; marks of standard time and of UTC

  /// Returns the size of the entries that follow the times and the types.
  std::size_t restBytes(std::size_t time_size) const {
    return leaps * (time_size + 4) + single_bytes;
  }
  std::size_t bodyBytes(std::size_t time_size) const {
    return times * (time_size + 1) + types * 6 + restBytes(time_size);
  }
};

std::optional<Counts> readHeader(Bytes& bytes) {
  if (bytes.take(4) != "TZif" || bytes.take(1) < "2") return std::nullopt;
  bytes.take(15);
  std::array<std::size_t, 6> numbers{};
  for (std::size_t& number : numbers) {
    const std::int64_t read = bytes.number(4);
    if (read < 0 || read > static_cast<std::int64_t>(kMaxFileBytes)) return std::nullopt;
    number = static_cast<std::size_t>(read);
  }
  const auto [utc_marks, standard_marks, leaps, times, types, letters] = numbers;
  return Counts{times, types, leaps, letters + standard_marks + utc_marks};
}

bool isZoneName(std::string_view name) {
  const auto fits = [](char c) {
    return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '-' || c == '+' || c == '/';
  };
  return !name.empty() && name.size() <= 64 && name.front() != '/' &&
         std::all_of(name.begin(), name.end(), fits);
}

Error unknownZone(std::string_view name) {
  return Error::invalidArgument("Unknown timezone: " + std::string(name.substr(0, 64)));
}

}  // namespace

std::optional<TimeZone> TimeZone::parse(std::string_view file) {
  if (file.size() > kMaxFileBytes) return std::nullopt;
  Bytes bytes(file);
  const std::optional<Counts> old = readHeader(bytes);
  if (!old) return std::nullopt;
  bytes.take(old->bodyBytes(4));
  const std::optional<Counts> counts = readHeader(bytes);
  if (!counts || counts->types == 0) return std::nullopt;

  std::vector<sys_seconds> times;
  for (std::size_t i = 0; i < counts->times; ++i) times.emplace_back(seconds(bytes.number(8)));
  const std::string_view types = bytes.take(counts->times);
  std::vector<seconds> offsets;
  for (std::size_t i = 0; i < counts->types; ++i) {
    offsets.emplace_back(bytes.number(4));
    bytes.take(2);
  }
  bytes.take(counts->restBytes(8));
  if (bytes.broken() || !std::is_sorted(times.begin(), times.end())) return std::nullopt;

  TimeZone zone;
  zone.first_ = offsets.front();
  for (std::size_t i = 0; i < times.size(); ++i) {
    const auto type = static_cast<unsigned char>(types[i]);
    if (type >= offsets.size()) return std::nullopt;
    zone.changes_.push_back({times[i], offsets[type]});
  }
  std::string_view footer = file.substr(kHeaderBytes + old->bodyBytes(4));
  footer.remove_prefix(std::min(footer.size(), kHeaderBytes + counts->bodyBytes(8)));
  if (footer.starts_with('\n')) footer.remove_prefix(1);
  const std::optional<ZoneRule> rule = parseZoneRule(footer.substr(0, footer.find('\n')));
  if (!rule) return zone;
  const sys_seconds known = times.empty() ? sys_seconds() : times.back();
  const auto first_year = static_cast<int>(
      std::chrono::year_month_day(std::chrono::floor<std::chrono::days>(known)).year());
  for (int year = std::max(first_year, 1970); year <= kLastYear; ++year) {
    for (const auto& [at, offset] : changesIn(*rule, year)) {
      if (at > known) zone.changes_.push_back({at, offset});
    }
  }
  return zone;
}

seconds TimeZone::offsetAt(Timestamp moment) const {
  const auto after =
      std::upper_bound(changes_.begin(), changes_.end(), moment,
                       [](Timestamp time, const Change& change) { return time < change.at; });
  return after == changes_.begin() ? first_ : std::prev(after)->offset;
}

sys_days TimeZone::dayOf(Timestamp moment) const {
  return std::chrono::floor<std::chrono::days>(moment + offsetAt(moment));
}

Timestamp TimeZone::beginOf(sys_days day) const {
  constexpr std::chrono::hours kAround{26};  // farther than any zone is from UTC
  const seconds before = offsetAt(Timestamp(day) - kAround);
  const Timestamp old_midnight = Timestamp(day) - before;
  if (offsetAt(old_midnight) == before) return old_midnight;
  const seconds after = offsetAt(Timestamp(day) + kAround);
  const Timestamp new_midnight = Timestamp(day) - after;
  return offsetAt(new_midnight) == after ? new_midnight : old_midnight;
}

Result<TimeZone> loadTimeZone(std::string_view name, const std::string& folder) {
  if (name == "UTC") return TimeZone();
  if (!isZoneName(name)) return unknownZone(name);
  std::ifstream file(folder + "/" + std::string(name), std::ios::binary);
  std::string bytes(kMaxFileBytes, '\0');
  if (!file || !file.read(bytes.data(), static_cast<std::streamsize>(bytes.size()))) {
    if (!file.eof()) return unknownZone(name);
  }
  bytes.resize(static_cast<std::size_t>(file.gcount()));
  std::optional<TimeZone> zone = TimeZone::parse(bytes);
  if (!zone) return unknownZone(name);
  return *std::move(zone);
}

}  // namespace spindle::statistics
