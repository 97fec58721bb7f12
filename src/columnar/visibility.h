#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <vector>

#include "base/mutex.h"
#include "base/result.h"
#include "columnar/generation.h"

namespace spindle::columnar {

/// Where the rows are: everything up to generation `stored` is in the file, the rest in the tables
/// of the generations listed, oldest first. The last one is being written.
struct Version {
  std::uint64_t number = 0;
  GenerationNumber stored = 0;
  std::vector<std::shared_ptr<Generation>> generations;  // a snapshot keeps those it reads

  const Generation& active() const { return *generations.back(); }
};

/// Hands out versions so that a snapshot's view in memory, its view of the file, and its version
/// belong together. A snapshot fixes its view in memory together with its version, then that of the
/// file; so whatever leaves the file must first wait for snapshots between those two. Thread-safe.
class Visibility {
 public:
  explicit Visibility(std::shared_ptr<const Version> first) : current_(std::move(first)) {}

  std::shared_ptr<const Version> current() const;

  /// Puts a changed copy in place of the version, with the next number. Must not block: snapshots
  /// wait meanwhile.
  std::shared_ptr<const Version> change(const std::function<void(Version&)>& change);

  /// Begins a snapshot. `fix_recent` fixes its view in memory.
  Result<std::shared_ptr<const Version>> enter(const std::function<Result<void>()>& fix_recent);
  /// The snapshot has fixed its view of the file too.
  void entered(const Version& version);
  void left(const Version& version);

  /// Waits for snapshots that are between enter() and entered() with a version before this one.
  void awaitEntered(std::uint64_t before);
  /// Whether a snapshot of a version before this one is still in use.
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
