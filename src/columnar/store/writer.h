#pragma once

#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "base/core/result.h"
#include "columnar/changes/change_group.h"
#include "columnar/changes/key_filter.h"
#include "columnar/changes/recent_rows.h"
#include "columnar/changes/recent_tables.h"
#include "columnar/changes/write_queue.h"
#include "columnar/duckdb/connection.h"
#include "columnar/store/store_hold.h"
#include "columnar/store/store_parts.h"

namespace spindle::columnar {

/// Recovered state from which the writer continues.
struct WriterStart {
  std::vector<std::shared_ptr<Generation>> generations;  ///< oldest first; the last is active
  RecentRows recent;
  RowNumber next_row = 1;
};

/// The only thread that changes rows. Takes all queued changes, plans them, writes the result to
/// the journal with one sync, applies it to the in-memory tables, and reports the outcomes.
class Writer {
 public:
  /// `wake_flusher` is called when the flusher has work; it must not block.
  Writer(StoreParts& parts, WriterStart start, std::function<void()> wake_flusher);
  /// Completes the queued work.
  ~Writer();
  Writer(const Writer&) = delete;
  Writer& operator=(const Writer&) = delete;

  /// Rejects further changes; returns when the thread has ended.
  void stop();

  // For any thread:
  Result<void> write(Change& change, std::size_t bytes) { return queue_.submit(change, bytes); }
  /// Removes recent rows. @return the number of removed rows.
  Result<std::int64_t> removeBefore(FamilyId family,
                                    std::string_view partition,
                                    SqlName column,
                                    Timestamp moment);
  Result<void> retirePartition(std::string_view partition);

  // For the flusher:
  bool needsSpare() const { return needs_spare_; }
  GenerationNumber newestGeneration() const { return newest_; }
  RowNumber nextRow() const { return next_row_; }
  void giveSpare(std::shared_ptr<Generation> generation);
  /// Seals the active generation if it is not empty; it is sealed when the call returns.
  Result<void> seal();
  void flushed(GenerationNumber generation);
  /// Returns the journals with records, with their lengths at one moment.
  Result<std::vector<HeldFile>> journals();
  void flushFailed(Error error);

 private:
  void loop();
  void process(Batch& batch);
  /// Plans and stores changes as one group. After an error, all of them have it as their outcome.
  Result<void> processTogether(const std::vector<QueuedChange*>& changes, Batch& batch);
  Result<void> plan(ChangeGroup& group,
                    const std::vector<QueuedChange*>& changes,
                    std::size_t bytes);
  /// Writes to journal, memory and index. @return an error when nothing was stored.
  Result<void> store(const ChangeGroup& group,
                     std::optional<PartitionNumber> retired = std::nullopt);
  /// Adds definitions of the partitions that the journal does not define yet. @return their
  /// numbers.
  std::vector<PartitionNumber> definePartitions(const ChangeGroup& group,
                                                const std::vector<ChangeGroup::Step>& steps,
                                                RecordWriter& record) const;
  void apply(const std::vector<ChangeGroup::Step>& steps, RowNumber first_row);
  Result<void> applyOnce(const std::vector<ChangeGroup::Step>& steps, RowNumber first_row);
  Result<void> fill(RecentTables& tables,
                    const std::vector<ChangeGroup::Step>& steps,
                    RowNumber first_row);
  void updateIndex(const std::vector<ChangeGroup::Step>& steps,
                   const std::vector<RowLocation>& places);
  std::optional<Error> currentError() const;
  std::size_t recentBytes() const;
  bool isMemoryFull() const;
  /// Delays writes so that the flusher keeps up and writes need not stop.
  void throttle() const;
  void sealIfFull();
  void sealNow();
  Generation& active() { return *generations_.back(); }
  ChangeGroupSources sources();
  Result<std::int64_t> removeRecent(FamilyId family,
                                    std::string_view partition,
                                    SqlName column,
                                    Timestamp moment);
  Result<void> collect(ChangeGroup& group,
                       const Generation& generation,
                       TableKey table,
                       bool all_partitions,
                       SqlName column,
                       Timestamp moment);
  template <class T>
  Result<T> onThread(const std::function<Result<T>()>& work);
  void updateMetrics();

  StoreParts& parts_;
  const std::function<void()> wake_flusher_;
  WriteQueue queue_;
  std::atomic<bool> needs_spare_{true};
  std::atomic<GenerationNumber> newest_{0};

  // Used only by the writer thread.
  std::unique_ptr<Connection> connection_;
  std::vector<std::shared_ptr<Generation>> generations_;  // oldest first
  std::map<GenerationNumber, RecentTables> tables_;
  RecentRows recent_;
  KeyFilters filters_;
  std::atomic<RowNumber> next_row_;  // other threads only read it
  // Definitions already in the current journal. Each journal defines its families and partitions,
  // so that it can be read by itself:
  bool families_defined_ = false;
  std::set<PartitionNumber> partitions_defined_;
  std::shared_ptr<Generation> spare_;
  std::optional<Error> flush_error_;

  std::thread thread_;  // last: it uses all other members
};

}  // namespace spindle::columnar
