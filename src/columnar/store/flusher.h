#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string_view>
#include <thread>
#include <vector>

#include "base/core/mutex.h"
#include "base/core/result.h"
#include "columnar/duckdb/connection.h"
#include "columnar/store/store_hold.h"
#include "columnar/store/store_parts.h"
#include "columnar/store/writer.h"

namespace spindle::columnar {

/// The background thread that moves sealed generations into the file, checkpoints the file,
/// prepares the next generation for the writer, and drops unused tables.
class Flusher {
 public:
  explicit Flusher(StoreParts& parts);
  ~Flusher();
  Flusher(const Flusher&) = delete;
  Flusher& operator=(const Flusher&) = delete;

  /// Starts the thread. `writer` must live until stop().
  void start(Writer& writer);
  /// Stops the thread after its current step.
  void stop();

  // For any thread:
  void wake();
  /// Moves all rows into the file and checkpoints it.
  Result<void> flush();
  /// Removes rows from the file. @return the number of removed rows.
  Result<std::int64_t> removeBefore(FamilyId family,
                                    std::string_view partition,
                                    SqlName column,
                                    Timestamp moment);

  /// Moves all rows into the file, checkpoints it, and prevents checkpoints and the removal of
  /// later journals until release(). Blocks until the checkpoint is done. @return kUnavailable when
  /// statements or snapshots block the checkpoint for too long.
  Result<void> hold();
  void release();
  /// Returns the journals written since hold(), complete at one moment.
  Result<std::vector<HeldFile>> journalsSinceHold();

 private:
  void loop();
  void runPendingWork();
  Result<void> giveSpare();
  Result<void> sealIfDue();
  Result<void> flushSealed();
  Result<void> flushGeneration(Generation& generation);
  Result<void> checkpointIfDue();
  /// Checkpoints the file. @return false when statements or snapshots prevented it.
  Result<bool> checkpoint(std::chrono::milliseconds timeout);
  /// Checkpoints the file while no statement reads it. @return as checkpoint()
  Result<bool> checkpointAlone();
  /// Returns true if DuckDB may use much memory for descriptions of row groups.
  bool isReattachDue() const;
  /// Frees the descriptions of row groups, while no snapshot and no statement uses the file.
  Result<void> reattach();
  std::uint64_t logBytes() const;
  std::uint64_t flushedJournalBytes() const;
  Result<void> removeFlushedJournals();
  void dropUnusedTables();
  Result<void> dropRetired();
  Result<void> flushAll();
  Result<bool> tryHold();
  Result<bool> holdNow();
  bool isHeld();
  /// Queues the journal for removal by the next checkpoint.
  void noteFlushed(const Generation& generation);
  Result<std::int64_t> removeStored(FamilyId family,
                                    std::string_view partition,
                                    SqlName column,
                                    Timestamp moment);
  template <class T>
  Result<T> onThread(const std::function<Result<T>()>& work);

  StoreParts& parts_;
  Writer* writer_ = nullptr;

  // Used only by the flusher thread.
  std::unique_ptr<Connection> connection_;
  std::chrono::steady_clock::time_point last_checkpoint_;
  std::chrono::steady_clock::time_point next_checkpoint_;  ///< after a checkpoint that timed out
  std::chrono::milliseconds checkpoint_timeout_;
  std::chrono::steady_clock::time_point attached_at_;
  std::size_t written_columns_ = 0;  ///< columns of row groups written since then
  std::chrono::steady_clock::time_point next_attempt_;  ///< after a failure
  std::chrono::seconds retry_delay_;
  std::size_t pieces_ = 1;  ///< into which the next generation is split for sorting and copying

  Mutex mutex_;
  Condition changed_;
  bool woken_ SPINDLE_GUARDED_BY(mutex_) = false;
  bool stopping_ SPINDLE_GUARDED_BY(mutex_) = false;
  std::vector<std::function<void()>> jobs_ SPINDLE_GUARDED_BY(mutex_);
  bool held_ SPINDLE_GUARDED_BY(mutex_) = false;
  std::vector<HeldFile> held_journals_ SPINDLE_GUARDED_BY(mutex_);  ///< flushed during the hold

  std::thread thread_;
};

}  // namespace spindle::columnar
