#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "base/core/metrics.h"
#include "base/core/mutex.h"
#include "base/core/result.h"
#include "clickhouse/client/client.h"

namespace spindle::clickhouse {

struct GroupOptions {
  std::chrono::milliseconds linger{50};         ///< a group waits this long for further rows
  std::size_t rows = 10'000;                    ///< rows of a full group
  std::size_t bytes = 16UL << 20;               ///< bytes of a full group
  std::size_t queued_bytes = 256UL << 20;       ///< rows of all callers that wait
  std::size_t concurrent = 4;                   ///< INSERT statements at the same time
  std::chrono::milliseconds retry_time{5'000};  ///< no attempt starts after this time
  std::chrono::milliseconds first_delay{100};   ///< before the second attempt; then doubles
};

/// Inserts the rows of concurrent callers into one table with few INSERT statements. Thread-safe;
/// callers block: worker threads only.
class GroupedInserts {
 public:
  /// The client and the registry must outlive this object.
  GroupedInserts(Client& client,
                 InsertTarget target,
                 GroupOptions options,
                 MetricRegistry& metrics);
  /// All calls must have returned before.
  ~GroupedInserts() = default;
  GroupedInserts(const GroupedInserts&) = delete;
  GroupedInserts& operator=(const GroupedInserts&) = delete;

  /// Inserts `count` rows in the format RowBinary, all or none, and returns when ClickHouse has
  /// acknowledged them. After kUnavailable the rows may be stored. @return kTooLarge for more bytes
  /// than may wait; kRateLimited when too many bytes wait, or ClickHouse is overloaded;
  /// kStorageFull; kUnavailable; kInternal for rows that ClickHouse refuses.
  Result<void> insert(std::string rows, std::size_t count);

 private:
  struct Entry;
  struct Group;

  /// Waits for the end of the group's time and for a free slot, then sends the group.
  void lead(const std::shared_ptr<Group>& group) SPINDLE_REQUIRES(mutex_);
  void send(Group& group);
  Result<void> insertOnce(std::string_view rows);

  Client& client_;
  const InsertTarget target_;
  const GroupOptions options_;
  Counter& statements_;
  Counter& stored_rows_;
  Counter& failures_;
  Counter& retries_;
  Histogram& seconds_;
  Gauge& waiting_bytes_;

  Mutex mutex_;
  Condition slot_free_;
  std::shared_ptr<Group> open_ SPINDLE_GUARDED_BY(mutex_);  // shared by its callers; null if none
  std::size_t queued_bytes_ SPINDLE_GUARDED_BY(mutex_) = 0;
  std::size_t running_ SPINDLE_GUARDED_BY(mutex_) = 0;
};

}  // namespace spindle::clickhouse
