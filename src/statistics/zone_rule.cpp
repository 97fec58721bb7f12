#include "statistics/zone_rule.h"

#include <algorithm>
#include <charconv>

namespace spindle::statistics {
namespace {

using std::chrono::seconds;

class Reader {
 public:
  explicit Reader(std::string_view text) : text_(text) {}

  bool done() const { return text_.empty(); }
  bool next(char c) const { return text_.starts_with(c); }
  bool take(char c) {
    if (!next(c)) return false;
    text_.remove_prefix(1);
    return true;
  }

  /// `EST`, `<+0330>`.
  bool name() {
    if (take('<')) {
      const std::size_t end = text_.find('>');
      if (end == std::string_view::npos) return false;
      text_.remove_prefix(end + 1);
      return true;
    }
    const auto letter = [](char c) { return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z'); };
    const auto* const end = std::find_if_not(text_.begin(), text_.end(), letter);
    const auto length = static_cast<std::size_t>(end - text_.begin());
    text_.remove_prefix(length);
    return length >= 3;
  }

  std::optional<unsigned> number() {
    unsigned value = 0;
    const auto [end, failed] = std::from_chars(text_.data(), text_.data() + text_.size(), value);
    if (failed != std::errc() || value > 1000) return std::nullopt;
    text_.remove_prefix(static_cast<std::size_t>(end - text_.data()));
    return value;
  }

  /// `-3`, `5:30`, `2:00:00`.
  std::optional<seconds> time() {
    const bool negative = take('-');
    if (!negative) take('+');
    seconds sum{0};
    for (const int unit : {3600, 60, 1}) {
      const std::optional<unsigned> value = number();
      if (!value) return std::nullopt;
      sum += seconds(static_cast<std::int64_t>(*value) * unit);
      if (!take(':')) break;
    }
    return negative ? -sum : sum;
  }

  std::optional<YearlyMoment> moment() {
    YearlyMoment moment;
    if (!take(',') || !take('M')) return std::nullopt;
    const std::optional<unsigned> month = number();
    if (!month || !take('.')) return std::nullopt;
    const std::optional<unsigned> week = number();
    if (!week || !take('.')) return std::nullopt;
    const std::optional<unsigned> weekday = number();
    if (!weekday || *month < 1 || *month > 12 || *week < 1 || *week > 5 || *weekday > 6)
      return std::nullopt;
    moment.month = *month;
    moment.week = *week;
    moment.weekday = *weekday;
    if (!take('/')) return moment;
    const std::optional<seconds> time_of_day = time();
    if (!time_of_day) return std::nullopt;
    moment.time = *time_of_day;
    return moment;
  }

 private:
  std::string_view text_;
};

std::chrono::sys_seconds localTimeIn(const YearlyMoment& moment, int year) {
  const std::chrono::year_month month = std::chrono::year(year) / std::chrono::month(moment.month);
  const std::chrono::weekday weekday(moment.weekday);
  const std::chrono::sys_days day = moment.week == 5
                                        ? std::chrono::sys_days(month / weekday[std::chrono::last])
                                        : std::chrono::sys_days(month / weekday[moment.week]);
  return day + moment.time;
}

}  // namespace

std::optional<ZoneRule> parseZoneRule(std::string_view text) {
  Reader reader(text);
  if (!reader.name()) return std::nullopt;
  const std::optional<seconds> west = reader.time();
  if (!west || !reader.name()) return std::nullopt;
  ZoneRule rule;
  rule.standard = -*west;
  rule.summer = rule.standard + std::chrono::hours(1);
  if (!reader.next(',')) {
    const std::optional<seconds> summer_west = reader.time();
    if (!summer_west) return std::nullopt;
    rule.summer = -*summer_west;
  }
  const std::optional<YearlyMoment> begin = reader.moment();
  if (!begin) return std::nullopt;
  const std::optional<YearlyMoment> end = reader.moment();
  if (!end || !reader.done()) return std::nullopt;
  rule.begin = *begin;
  rule.end = *end;
  return rule;
}

std::vector<std::pair<std::chrono::sys_seconds, seconds>> changesIn(const ZoneRule& rule,
                                                                    int year) {
  std::vector<std::pair<std::chrono::sys_seconds, seconds>> changes = {
      {localTimeIn(rule.begin, year) - rule.standard, rule.summer},
      {localTimeIn(rule.end, year) - rule.summer, rule.standard}};
  std::sort(changes.begin(), changes.end());
  return changes;
}

}  // namespace spindle::statistics
