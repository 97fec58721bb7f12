#pragma once

#include <chrono>
#include <functional>

#include "base/core/result.h"
#include "base/core/time.h"
#include "storage/database/forward.h"

namespace spindle::jobs {

/// Stores the latest time of the schedule clock of a deployment in the metadata database. An
/// earlier wall time at process start means that the clock was set back; align() then shifts the
/// schedules by the difference. Thread-safe. All calls block on the database and may return
/// kUnavailable.
class ScheduleRecord {
 public:
  /// Shifts the schedules of one area inside the transaction.
  using Shift =
      std::function<Result<void>(storage::Session& session, std::chrono::microseconds by)>;

  explicit ScheduleRecord(storage::Database& database) : database_(database) {}

  /// Records a time unless a later one is already recorded.
  Result<void> record(Timestamp now);

  /// If a time later than `now` is recorded, calls `shift` with the (negative) difference and
  /// records `now` instead, in one transaction. Ignores differences below kTolerance, such as
  /// between two machines.
  /// @return the difference, or zero.
  Result<std::chrono::microseconds> align(Timestamp now, const Shift& shift);

  static constexpr std::chrono::seconds kTolerance{5};

 private:
  storage::Database& database_;
};

}  // namespace spindle::jobs
