#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/time.h"

namespace spindle::storage {
class Session;
}

namespace spindle::runs {

/// The run whose rows are watched, with all names as they are at this moment. Everything belongs to
/// the one organization of the deployment.
struct WatchedRun {
  std::string team_id;
  std::string project_id;
  std::string entity;   ///< name of the team
  std::string project;  ///< name
  std::string run_id;   ///< as the project names it
  std::string name;     ///< shown to people, not unique
  std::string owner_id;
  std::string owner;  ///< username
};

struct MetricValue {
  std::string_view key;  ///< flattened: `val.loss`; of system metrics always behind `system.`
  double value = 0;      ///< may be NaN or infinite
};

/// One accepted row of history or of system metrics. A row may have no metrics; a key is in a row
/// at most once.
struct WatchedRow {
  std::int64_t step = 0;
  Timestamp time;  ///< what the row says of itself, else when it was accepted
  std::vector<MetricValue> metrics;
};

/// Sees every row that a run accepts, once. The consumer of the port is this area; automation
/// implements it and `app` passes it in. Implementations are thread-safe.
class MetricWatch {
 public:
  virtual ~MetricWatch() = default;

  /// Whether anyone waits for metrics of this project's runs. Asked before every append, outside
  /// of a transaction: it has to be quick. When false, rows are not shown: who begins to wait sees
  /// the rows from then on.
  virtual bool watches(std::string_view team_id, std::string_view project_id) = 0;

  /// Called inside the SQL transaction that accepts the rows, in their order, after the run's own
  /// row has been written; the work may be run again from the start when the transaction clashes.
  /// What it writes through the session, events included, is committed together with the rows.
  /// Nothing passed in is kept beyond the call.
  /// @return how many events it appended to the outbox, so that those who wait for events are woken
  /// after the commit; any error undoes the whole append.
  virtual Result<std::int64_t> observe(storage::Session& session,
                                       const WatchedRun& run,
                                       const std::vector<WatchedRow>& rows) = 0;

  /// Called inside the transaction that removes a run: whatever was kept of it goes.
  virtual Result<void> forget(storage::Session& session,
                              std::string_view project_id,
                              std::string_view run_id) = 0;
};

}  // namespace spindle::runs
