#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/core/mutex.h"
#include "base/core/result.h"
#include "columnar/store/store_hold.h"

namespace spindle::backup {

/// The server side of an online backup: lets one client at a time hold the data folder.
///
/// During a hold, the columnar store, if there is one, is held (columnar::StoreHold) and
/// maintenance that removes blobs or rows does not run. A hold has a lease: if the client dies, the
/// hold ends after kLease. Thread-safe.
class BackupHolds {
 public:
  using HoldStore = std::function<Result<std::unique_ptr<columnar::StoreHold>>()>;
  using Clock = std::function<std::chrono::steady_clock::time_point()>;

  static constexpr std::chrono::seconds kLease{60};

  /// `hold_store` begins a hold of the columnar store, or returns null if there is none. It may
  /// block.
  explicit BackupHolds(HoldStore hold_store, Clock clock = std::chrono::steady_clock::now);
  ~BackupHolds();
  BackupHolds(const BackupHolds&) = delete;
  BackupHolds& operator=(const BackupHolds&) = delete;

  /// Begins a hold and returns its id. Blocks until running maintenance has ended and the store is
  /// flushed. @return kConflict while another hold exists; kStorageFull; kUnavailable.
  Result<std::string> begin();
  /// Returns the files of the store, complete at this moment, and extends the lease.
  /// @return kNotFound when the hold has ended; kUnavailable.
  Result<std::vector<columnar::HeldFile>> mark(std::string_view id);
  /// Extends the lease. @return kNotFound when the hold has ended.
  Result<void> renew(std::string_view id);
  /// Ends a hold. After any error the copy is useless. @return kNotFound when it ended before;
  /// kUnavailable when the store was reopened during the hold.
  Result<void> end(std::string_view id);

  /// Returns the error for an unknown hold id.
  static Error noSuchHold();

  /// Runs maintenance, unless a hold exists or begins. Ends a hold whose lease has expired.
  /// @return true if the work was run.
  bool maintain(const std::function<void()>& work);

 private:
  bool isHeldBy(std::string_view id) SPINDLE_REQUIRES(mutex_);
  std::unique_ptr<columnar::StoreHold> takeExpired() SPINDLE_REQUIRES(mutex_);

  const HoldStore hold_store_;
  const Clock clock_;
  Mutex mutex_;
  Condition changed_;
  std::string id_ SPINDLE_GUARDED_BY(mutex_);  ///< empty if there is no hold, or while one begins
  std::unique_ptr<columnar::StoreHold> hold_ SPINDLE_GUARDED_BY(mutex_);
  bool held_ SPINDLE_GUARDED_BY(mutex_) = false;
  std::chrono::steady_clock::time_point expires_ SPINDLE_GUARDED_BY(mutex_);
  bool beginning_ SPINDLE_GUARDED_BY(mutex_) = false;
  bool maintaining_ SPINDLE_GUARDED_BY(mutex_) = false;
};

}  // namespace spindle::backup
