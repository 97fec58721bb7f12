#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <utility>

#include "base/core/mutex.h"
#include "base/core/result.h"

namespace spindle::inference {

/// An in-memory copy of rows with a revision, so that requests need no database access.
/// `Snapshot` has the member `revision`. Thread-safe.
template <class Snapshot>
class RevisionCache {
 public:
  /// `revision` returns the stored revision; `load` reads a consistent snapshot.
  RevisionCache(std::function<Result<std::int64_t>()> revision,
                std::function<Result<Snapshot>()> load)
      : revision_(std::move(revision)), load_(std::move(load)) {}

  /// Returns the cached snapshot. Never null; never blocks on the database.
  std::shared_ptr<const Snapshot> current() const {
    const MutexLock lock(mutex_);
    return current_;
  }

  /// Reloads the snapshot if any process has changed the rows. Call it after a change by this
  /// process and periodically. @return kUnavailable; the cached snapshot then stays.
  Result<void> refresh() {
    // Refreshes run one at a time, so that an older snapshot cannot replace a newer one.
    const MutexLock one_at_a_time(refreshing_);
    const std::int64_t revision = TRY(revision_());
    if (revision == current()->revision) return {};
    Snapshot loaded = TRY(load_());
    auto fresh = std::make_shared<const Snapshot>(std::move(loaded));
    const MutexLock lock(mutex_);
    current_ = std::move(fresh);
    return {};
  }

 private:
  const std::function<Result<std::int64_t>()> revision_;
  const std::function<Result<Snapshot>()> load_;
  Mutex refreshing_;  ///< taken before mutex_
  mutable Mutex mutex_;
  std::shared_ptr<const Snapshot> current_ SPINDLE_GUARDED_BY(mutex_) =
      std::make_shared<const Snapshot>();
};

}  // namespace spindle::inference
