#include "jobs/schedule_record.h"

#include <optional>

#include "storage/database/database.h"

namespace spindle::jobs {

using storage::Row;
using storage::Session;

Result<void> ScheduleRecord::record(Timestamp now) {
  return database_.write([&](Session& session) -> Result<void> {
    TRY(session.execute(
        "INSERT INTO schedule_clock (id, latest) VALUES (1, ?) ON CONFLICT (id) DO UPDATE SET "
        "latest = excluded.latest WHERE schedule_clock.latest < excluded.latest",
        {now}));
    return {};
  });
}

Result<std::chrono::microseconds> ScheduleRecord::align(Timestamp now, const Shift& shift) {
  return database_.write([&](Session& session) -> Result<std::chrono::microseconds> {
    constexpr std::chrono::microseconds kNone{0};
    const std::optional<Row> row =
        TRY(session.queryOne("SELECT latest FROM schedule_clock WHERE id = 1"));
    if (!row.has_value()) return kNone;
    const std::chrono::microseconds by = now - row->time("latest");
    if (by > -kTolerance) return kNone;
    TRY(shift(session, by));
    TRY(session.execute("UPDATE schedule_clock SET latest = ? WHERE id = 1", {now}));
    return by;
  });
}

}  // namespace spindle::jobs
