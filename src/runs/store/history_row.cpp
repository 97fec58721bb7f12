#include "runs/store/history_row.h"

namespace spindle::runs {

using columnar::ColumnType;

columnar::Family historyFamily() {
  columnar::Family family;
  family.name = "run_history";
  family.columns = {{"id", ColumnType::kText},           {"place", ColumnType::kTime},
                    {"run", ColumnType::kInteger},       {"stream", ColumnType::kInteger},
                    {"series", ColumnType::kText},       {"first_step", ColumnType::kInteger},
                    {"last_step", ColumnType::kInteger}, {"steps", ColumnType::kText},
                    {"keys", ColumnType::kTexts},        {"content", ColumnType::kText}};
  family.key = static_cast<std::size_t>(HistoryColumn::kId);
  family.order = static_cast<std::size_t>(HistoryColumn::kPlace);
  return family;
}

std::string blockOf(std::string_view key) { return std::string(key.substr(0, key.find('/'))); }

std::int64_t streamNumberOf(Stream stream) { return stream == Stream::kHistory ? 0 : 1; }

std::chrono::sys_time<std::chrono::hours> hourOf(Timestamp time) {
  return std::chrono::floor<std::chrono::hours>(time);
}

Timestamp rowPlaceOf(Timestamp stored_at,
                     std::int64_t run_number,
                     std::int64_t stream_number,
                     std::string_view series) {
  constexpr std::uint64_t kMicrosOfHour = 3'600'000'000;
  std::uint64_t hash = 14695981039346656037U;  // FNV-1a
  const auto mix = [&hash](std::uint64_t value) { hash = (hash ^ value) * 1099511628211U; };
  mix(static_cast<std::uint64_t>(run_number));
  mix(static_cast<std::uint64_t>(stream_number));
  for (const char c : series) mix(static_cast<unsigned char>(c));
  return hourOf(stored_at) + std::chrono::microseconds((hash ^ (hash >> 32U)) % kMicrosOfHour);
}

}  // namespace spindle::runs
