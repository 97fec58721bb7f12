#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "base/core/mutex.h"
#include "base/core/result.h"
#include "runs/metric_observer.h"
#include "storage/database/forward.h"

namespace spindle::events {
class Outbox;
}

namespace spindle::automation {

/// Evaluates the metric conditions of automations for the history rows of runs, row by row, inside
/// the transaction that stores the rows. A condition that becomes true raises an event for its
/// automation only. Then the automation does not fire for that run for 24 hours. Thread-safe;
/// blocks on the database.
class RunMetricEvaluator final : public runs::MetricObserver {
 public:
  /// Both must outlive this object.
  RunMetricEvaluator(storage::Database& database, const events::Outbox& outbox)
      : database_(database), outbox_(outbox) {}

  bool watches(std::string_view team_id, std::string_view project_id) override;
  Result<std::int64_t> observe(storage::Session& session,
                               const runs::ObservedRun& run,
                               const std::vector<runs::ObservedRow>& rows) override;
  Result<void> forget(storage::Session& session,
                      std::string_view project_id,
                      std::string_view run_id) override;

 private:
  struct Watch;
  struct Watches;

  /// Returns the automations with metric conditions. Reads them again after any change.
  Result<std::shared_ptr<const Watches>> current(storage::Session& session);

  storage::Database& database_;
  const events::Outbox& outbox_;
  Mutex mutex_;
  std::shared_ptr<const Watches> known_ SPINDLE_GUARDED_BY(mutex_);
};

}  // namespace spindle::automation
