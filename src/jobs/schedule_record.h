#pragma once

#include <chrono>
#include <functional>

#include "base/result.h"
#include "base/time.h"

namespace spindle::storage {
class Database;
class Session;
}  // namespace spindle::storage

namespace spindle::jobs {

/// The latest time that the schedules of a deployment have reached, in the metadata database. A
/// process that starts with an earlier wall time was set back, and moves the schedules by the
/// difference. Thread-safe; calls block on the database and may return kUnavailable.
class ScheduleRecord {
 public:
  /// Moves the schedules of one area inside the transaction.
  using Shift =
      std::function<Result<void>(storage::Session& session, std::chrono::microseconds by)>;

  explicit ScheduleRecord(storage::Database& database) : database_(database) {}

  /// Records a time, unless a later one is recorded already.
  Result<void> record(Timestamp now);

  /// Calls `shift` with the difference (negative) when a time later than `now` is recorded, and
  /// records `now` in its place, all in one transaction. Differences below kTolerance, such as
  /// between two machines, change nothing.
  /// @return the difference, or zero.
  Result<std::chrono::microseconds> align(Timestamp now, const Shift& shift);

  static constexpr std::chrono::seconds kTolerance{5};

 private:
  storage::Database& database_;
};

}  // namespace spindle::jobs
