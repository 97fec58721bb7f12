#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string_view>
#include <thread>
#include <vector>

#include "base/mutex.h"
#include "base/result.h"
#include "columnar/connection.h"
#include "columnar/store_hold.h"
#include "columnar/store_parts.h"
#include "columnar/writer.h"

namespace spindle::columnar {

/// The thread that moves sealed generations into the file, checkpoints it, keeps a fresh generation
/// ready for the writer, and drops what nobody needs any more.
class Flusher {
 public:
  explicit Flusher(StoreParts& parts);
  ~Flusher();
  Flusher(const Flusher&) = delete;
  Flusher& operator=(const Flusher&) = delete;

  /// Begins work. The writer outlives it until stop().
  void start(Writer& writer);
  /// Ends when the step in hand is done.
  void stop();

  // For any thread:
  void wake();
  /// Moves everything into the file and checkpoints it.
  Result<void> flush();
  /// Removes rows of the file. @return how many.
  Result<std::int64_t> removeBefore(FamilyId family,
                                    std::string_view partition,
                                    SqlName column,
                                    Timestamp moment);

  /// Moves everything into the file, checkpoints it, and keeps both the file as it is and every
  /// later journal until release(). Blocks until the checkpoint is done.
  /// @return kUnavailable when statements or snapshots stood in the checkpoint's way for too long.
  Result<void> hold();
  void release();
  /// Returns the journals written since hold(), complete at one moment.
  Result<std::vector<HeldFile>> journalsSinceHold();

 private:
  void loop();
  void tend();
  Result<void> giveSpare();
  Result<void> sealIfDue();
  Result<void> flushSealed();
  Result<void> flushGeneration(Generation& generation);
  Result<void> checkpointIfDue();
  /// @return false when statements or snapshots stood in its way.
  Result<bool> checkpoint(std::chrono::milliseconds patience);
  std::uint64_t logBytes() const;
  std::uint64_t flushedJournalBytes() const;
  Result<void> removeFlushedJournals();
  void dropDead();
  Result<void> dropRetired();
  Result<void> flushAll();
  Result<bool> tryHold();
  Result<bool> holdNow();
  bool isHeld();
  /// Leaves the journal for the next checkpoint to remove.
  void noteFlushed(const Generation& generation);
  Result<std::int64_t> removeStored(FamilyId family,
                                    std::string_view partition,
                                    SqlName column,
                                    Timestamp moment);
  template <class T>
  Result<T> onThread(const std::function<Result<T>()>& work);

  StoreParts& parts_;
  Writer* writer_ = nullptr;

  // The thread's own.
  std::unique_ptr<Connection> connection_;
  std::chrono::steady_clock::time_point last_checkpoint_;
  std::chrono::steady_clock::time_point next_checkpoint_;  ///< after one that had to wait too long
  std::chrono::milliseconds patience_;
  std::chrono::steady_clock::time_point next_attempt_;  ///< after a failure
  std::chrono::seconds pause_;
  std::size_t pieces_ = 1;  ///< that the next generation is sorted and copied in

  Mutex mutex_;
  Condition changed_;
  bool woken_ SPINDLE_GUARDED_BY(mutex_) = false;
  bool stopping_ SPINDLE_GUARDED_BY(mutex_) = false;
  std::vector<std::function<void()>> jobs_ SPINDLE_GUARDED_BY(mutex_);
  bool held_ SPINDLE_GUARDED_BY(mutex_) = false;
  std::vector<HeldFile> held_journals_ SPINDLE_GUARDED_BY(mutex_);  ///< flushed while held

  std::thread thread_;
};

}  // namespace spindle::columnar
