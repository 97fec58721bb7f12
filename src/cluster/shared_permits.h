#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/core/mutex.h"
#include "base/core/result.h"
#include "base/core/time.h"
#include "storage/database/forward.h"

namespace spindle::cluster {

/// Counts of running requests that all nodes of a deployment share: at most `most` requests run at
/// the same time. A node holds a number of permits in the database and gives them out from memory;
/// it returns permits that it has not used for a second, and at once when another node asks. The
/// permits of a node that dies return when its lease expires. Thread-safe.
class SharedPermits {
 public:
  /// The lease of permits, which refresh() extends.
  static constexpr std::chrono::seconds kLease{15};
  /// The topic of messages with the name of permits that a node lacks.
  static constexpr std::string_view kWantedTopic = "permits";

  /// All must outlive this object.
  SharedPermits(storage::Database& database, const Clock& schedule, std::string node_id)
      : database_(database), schedule_(schedule), node_id_(std::move(node_id)) {}

  /// Takes a permit if fewer than `most` are taken. Blocks on the database when this node holds no
  /// free permit, and for up to kLongestWait while other nodes return theirs.
  /// @return kUnavailable, also on threads that must not block (base/core/no_blocking.h).
  Result<bool> acquire(std::string_view name, std::int64_t most);
  static constexpr std::chrono::milliseconds kLongestWait{150};
  /// Returns a permit to this node. Never blocks.
  void release(std::string_view name);

  /// Returns the number of permits of this node that are taken.
  std::int64_t running(std::string_view name) const;

  /// Another node lacks these permits: the next refresh() returns those that are not taken.
  void want(std::string_view name);

  /// Extends the leases and returns unused permits. Call it about once a second, and soon after
  /// want(). Blocks.
  void refresh();
  /// Returns all permits. Blocks.
  void returnAll();

 private:
  struct Pool {
    std::int64_t held = 0;     ///< in the database
    std::int64_t running = 0;  ///< taken by requests; more than held if a lease was lost
    std::int64_t peak = 0;     ///< of `running` since the last refresh()
    std::int64_t most = 0;     ///< the limit at the last exchange for requests
    Timestamp leased_until = {};
    Timestamp refused_until = {};
    bool wanted = false;   ///< by another node
    bool awaited = false;  ///< a thread of this node waits for other nodes
  };

  bool takeHeld(Pool& pool, std::int64_t most) SPINDLE_REQUIRES(mutex_);
  /// Sets the number of permits of this node to at most `held`, as far as the others leave them.
  /// Without a limit (`most` 0) the number only falls. @return the new number.
  Result<std::int64_t> exchange(const std::string& name, std::int64_t held, std::int64_t most);

  storage::Database& database_;
  const Clock& schedule_;
  const std::string node_id_;

  Mutex exchanging_;  ///< one exchange at a time; taken before mutex_
  mutable Mutex mutex_;
  Condition released_;
  std::map<std::string, Pool, std::less<>> pools_ SPINDLE_GUARDED_BY(mutex_);
};

}  // namespace spindle::cluster
