#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/core/time.h"
#include "columnar/journal/family.h"
#include "runs/run.h"

namespace spindle::runs {

/// The columns of historyFamily() in their order.
enum class HistoryColumn : std::size_t {
  kId,
  kPlace,
  kRun,
  kStream,
  kSeries,
  kFirstStep,
  kLastStep,
  kSteps,
  kKeys,
  kContent,
};

/// Returns the table definition of the blocks.
columnar::Family historyFamily();

/// Suffix of the block id in the key of the lines. The keys of series differ after the slash.
inline constexpr std::string_view kLinesKey = "/lines";

/// Returns the id of the block of a key.
std::string blockOf(std::string_view key);

/// Returns the number of a stream in rows.
std::int64_t streamNumberOf(Stream stream);

std::chrono::sys_time<std::chrono::hours> hourOf(Timestamp time);

/// Returns the sort time of a row. The store sorts flushed rows by time, and rows that are read
/// together should be adjacent in the file. Therefore all rows of one series of one run in one hour
/// get the same time: a moment of that hour derived from a hash of run, stream and series.
Timestamp rowPlaceOf(Timestamp stored_at,
                     std::int64_t run_number,
                     std::int64_t stream_number,
                     std::string_view series);

}  // namespace spindle::runs
