#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "base/core/mutex.h"
#include "base/core/result.h"
#include "clickhouse/client/client.h"

namespace spindle::tracing {

/// Looks up which calls ClickHouse knows. A statement reads the newest rows of many parts, however
/// few ids it has, so concurrent callers share statements: while some run, the ids of further
/// callers wait and become one statement. Thread-safe; callers block: worker threads only.
class KnownCallIds {
 public:
  /// The client must outlive this object.
  explicit KnownCallIds(clickhouse::Client& client) : client_(client) {}
  /// All calls must have returned before.
  ~KnownCallIds() = default;
  KnownCallIds(const KnownCallIds&) = delete;
  KnownCallIds& operator=(const KnownCallIds&) = delete;

  /// Returns the ids that have a row, also one of a deleted call. @return the error of the client.
  Result<std::unordered_set<std::string>> find(std::string_view project,
                                               const std::vector<std::string>& ids);

 private:
  struct Lookup;
  struct Group;

  /// Answers a lookup together with others.
  void join(Lookup& lookup);
  /// Waits for a free slot, then answers all lookups of the group.
  void lead(const std::shared_ptr<Group>& group) SPINDLE_REQUIRES(mutex_);
  void read(Group& group);

  clickhouse::Client& client_;
  Mutex mutex_;
  Condition slot_free_;
  std::shared_ptr<Group> open_ SPINDLE_GUARDED_BY(mutex_);  // shared by its callers; null if none
  std::size_t running_ SPINDLE_GUARDED_BY(mutex_) = 0;
};

}  // namespace spindle::tracing
