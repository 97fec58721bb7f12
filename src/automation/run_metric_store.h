#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "base/mutex.h"
#include "base/result.h"
#include "runs/metric_watch_store.h"

namespace spindle::events {
class Outbox;
}
namespace spindle::storage {
class Database;
}

namespace spindle::automation {

/// Holds the metrics of runs against the conditions of automations, row by row, inside the
/// transaction that accepts the rows. A condition that holds raises an event for its automation
/// alone, and then the run is silent for that automation for a day. Thread-safe; blocks on the
/// database.
class RunMetricStore final : public runs::MetricWatch {
 public:
  /// Both must outlive this.
  RunMetricStore(storage::Database& database, const events::Outbox& outbox)
      : database_(database), outbox_(outbox) {}

  bool watches(std::string_view team_id, std::string_view project_id) override;
  Result<std::int64_t> observe(storage::Session& session,
                               const runs::WatchedRun& run,
                               const std::vector<runs::WatchedRow>& rows) override;
  Result<void> forget(storage::Session& session,
                      std::string_view project_id,
                      std::string_view run_id) override;

 private:
  struct Watch;
  struct Watches;

  /// The automations that wait for metrics, read anew when any has changed.
  Result<std::shared_ptr<const Watches>> current(storage::Session& session);

  storage::Database& database_;
  const events::Outbox& outbox_;
  Mutex mutex_;
  std::shared_ptr<const Watches> known_ SPINDLE_GUARDED_BY(mutex_);
};

}  // namespace spindle::automation
