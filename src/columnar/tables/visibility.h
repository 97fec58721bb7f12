#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <vector>

#include "base/core/mutex.h"
#include "base/core/result.h"
#include "columnar/tables/generation.h"

namespace spindle::columnar {

/// Location of all rows: the file contains all generations up to `stored`; the listed generations,
/// oldest first, are in memory. The last one is being written.
struct Version {
  std::uint64_t number = 0;
  GenerationNumber stored = 0;
  std::vector<std::shared_ptr<Generation>> generations;  // shared with the snapshots that read them

  const Generation& active() const { return *generations.back(); }
};

/// Publishes versions such that a snapshot's view of memory, its view of the file, and its version
/// are consistent. A snapshot fixes its view of memory together with its version, then its view of
/// the file. Therefore a removal from the file must first wait for snapshots between these two
/// steps. Thread-safe.
class Visibility {
 public:
  explicit Visibility(std::shared_ptr<const Version> first) : current_(std::move(first)) {}

  std::shared_ptr<const Version> current() const;

  /// Replaces the version by a changed copy with the next number. `change` must not block, because
  /// snapshots wait for it.
  std::shared_ptr<const Version> change(const std::function<void(Version&)>& change);

  /// Begins a snapshot. `fix_recent` fixes its view of memory.
  Result<std::shared_ptr<const Version>> enter(const std::function<Result<void>()>& fix_recent);
  /// Reports that the snapshot has also fixed its view of the file.
  void entered(const Version& version);
  void left(const Version& version);

  /// Blocks until no snapshot with a version before this one is between enter() and entered().
  void awaitEntered(std::uint64_t before);
  /// Returns true if a snapshot of a version before this one is in use.
  bool inUse(std::uint64_t before) const;

 private:
  static void release(std::map<std::uint64_t, int>& counts, std::uint64_t number);

  mutable Mutex mutex_;
  Condition entered_;
  std::shared_ptr<const Version> current_ SPINDLE_GUARDED_BY(mutex_);
  std::map<std::uint64_t, int> entering_ SPINDLE_GUARDED_BY(mutex_);  ///< by version
  std::map<std::uint64_t, int> in_use_ SPINDLE_GUARDED_BY(mutex_);
};

}  // namespace spindle::columnar
