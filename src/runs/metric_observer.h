#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/core/result.h"
#include "base/core/time.h"
#include "storage/database/forward.h"

namespace spindle::runs {

/// The run of the observed rows, with its current names. All ids belong to the one organization of
/// the deployment.
struct ObservedRun {
  std::string team_id;
  std::string project_id;
  std::string entity;   ///< name of the team
  std::string project;  ///< name of the project
  std::string run_id;   ///< unique in the project
  std::string name;     ///< display name, not unique
  std::string owner_id;
  std::string owner;  ///< username
};

struct MetricValue {
  std::string_view key;  ///< flattened: `val.loss`; system metrics always begin with `system.`
  double value = 0;      ///< may be NaN or infinite
};

/// One accepted row of history or of system metrics. A row may have no metrics; each key occurs at
/// most once.
struct ObservedRow {
  std::int64_t step = 0;
  Timestamp time;  ///< time in the row, or the time of acceptance
  std::vector<MetricValue> metrics;
};

/// A port that observes every row that a run accepts, exactly once. This area calls it; automation
/// implements it, and `app` injects it. Implementations must be thread-safe.
class MetricObserver {
 public:
  virtual ~MetricObserver() = default;

  /// Returns true if an automation watches metrics of the runs of this project. Called before every
  /// append, outside of a transaction, so it must be fast. If false, observe() is not called: a new
  /// automation sees only the rows from then on.
  virtual bool watches(std::string_view team_id, std::string_view project_id) = 0;

  /// Observes rows, in their order. Called inside the SQL transaction that accepts the rows, after
  /// the row of the run was written. The transaction may be retried from the start after a
  /// conflict. Everything that this writes through the session, events included, commits together
  /// with the rows. Must not keep references to the arguments after the call. Returns the number of
  /// events that it appended to the outbox, so that the caller can wake the consumers of events
  /// after the commit. Any error rolls back the whole append.
  virtual Result<std::int64_t> observe(storage::Session& session,
                                       const ObservedRun& run,
                                       const std::vector<ObservedRow>& rows) = 0;

  /// Deletes all data about a run. Called inside the transaction that removes the run.
  virtual Result<void> forget(storage::Session& session,
                              std::string_view project_id,
                              std::string_view run_id) = 0;
};

}  // namespace spindle::runs
