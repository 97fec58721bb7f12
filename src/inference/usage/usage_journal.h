#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/core/mutex.h"
#include "base/core/result.h"
#include "inference/usage/usage.h"

namespace spindle::columnar {
class File;
}

namespace spindle::inference {

/// An append-only journal of usage records that are not in the usage store yet.
///
/// The journal is a folder of segment files of a fixed size (`usage-N.log`): a header, then groups
/// of records, each with its number, length and checksum. append() writes one group, and syncs it
/// with Options::sync.
/// When stored() reports that the usage store contains every record of a segment, a later segment
/// overwrites the file: syncing a file that does not grow is cheap, and the folder stays small. A
/// new process reads the groups of an earlier one (recovered()), stores them under the same ids,
/// and calls stored().
///
/// A group that was incomplete when the process died is ignored. Damage before valid groups is
/// logged, the valid groups are recovered, and a copy of the file is kept as `usage-N.damaged`.
///
/// Thread-safe; append() and stored() block on the disk, tryAppend() only if the kernel delays
/// writes.
class UsageJournal {
 public:
  using CreateFile = std::function<std::unique_ptr<columnar::File>(const std::string& path)>;

  struct Options {
    std::string folder;  ///< created if missing
    /// Sync each group before append() returns. Without it, a group survives a crash of the process
    /// but not of the machine.
    bool sync = true;
    std::uint64_t segment_bytes = 2UL * 1024 * 1024;
    CreateFile create = {};  ///< for tests; empty: real files
  };

  /// Records that were written together.
  struct Group {
    std::uint64_t number = 0;
    std::vector<UsageRecord> records;
  };

  /// The maximum size of the encoded records of one append().
  static constexpr std::size_t kMostGroupBytes = 1UL * 1024 * 1024;

  /// Reads the folder. @throws std::runtime_error if the folder cannot be used.
  explicit UsageJournal(Options options);
  ~UsageJournal();
  UsageJournal(const UsageJournal&) = delete;
  UsageJournal& operator=(const UsageJournal&) = delete;

  /// Returns the groups of earlier processes, the oldest first. A second call returns nothing.
  std::vector<Group> recovered();

  /// Appends records, encoded by encodeUsage(), as one group. Returns the number of the group.
  /// kStorageFull, kUnavailable: nothing was appended.
  Result<std::uint64_t> append(std::string_view encoded);

  /// Appends like append() if one write into the page cache suffices: without Options::sync, into
  /// the current segment, and while no other thread uses the journal. Returns nothing otherwise,
  /// and if the write fails.
  std::optional<std::uint64_t> tryAppend(std::string_view encoded);

  /// Reports that every group up to this number is in the usage store.
  void stored(std::uint64_t group);

 private:
  struct Segment {
    std::string path;
    std::unique_ptr<columnar::File> file;
    std::uint64_t first = 0;  ///< number of its first group
    std::uint64_t last = 0;   ///< number of its last group; first - 1 if it has none
    std::uint64_t end = 0;    ///< offset of the next group
    bool reusable = false;    ///< created by this process
  };

  struct Found {
    std::vector<Group> groups;
    std::uint64_t first = 0;
    std::uint64_t last = 0;
    bool damaged = false;
  };

  void recover();
  static Found read(const columnar::File& file);
  void keepDamagedCopy(const std::string& path) const;
  bool fits(std::string_view encoded) const SPINDLE_REQUIRES(mutex_);
  Result<std::uint64_t> appendToSegment(std::string_view encoded) SPINDLE_REQUIRES(mutex_);
  Result<void> beginSegment() SPINDLE_REQUIRES(mutex_);
  int prepare(Segment& segment) const;
  std::string freePath() const SPINDLE_REQUIRES(mutex_);
  void dropStored() SPINDLE_REQUIRES(mutex_);

  const Options options_;

  Mutex mutex_;
  std::vector<Group> recovered_ SPINDLE_GUARDED_BY(mutex_);
  std::vector<Segment> segments_ SPINDLE_GUARDED_BY(mutex_);  ///< oldest first
  bool writable_ SPINDLE_GUARDED_BY(mutex_) = false;          ///< the last segment accepts groups
  std::optional<Segment> spare_ SPINDLE_GUARDED_BY(mutex_);
  std::uint64_t next_ SPINDLE_GUARDED_BY(mutex_) = 1;
  std::uint64_t stored_ SPINDLE_GUARDED_BY(mutex_) = 0;
};

}  // namespace spindle::inference
