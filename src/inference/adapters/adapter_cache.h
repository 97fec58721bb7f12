#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>

#include "base/core/mutex.h"
#include "base/core/result.h"
#include "inference/engines/engine_host.h"

namespace spindle::inference {

/// A disk cache of adapter files, one file per content. Above its size limit, it evicts the least
/// recently used files that no caller holds. Thread-safe; calls block on disk.
class AdapterCache {
 public:
  /// Writes the adapter to a path where no file exists yet.
  using Make = std::function<Result<void>(const std::string& path)>;

  /// Finds the files of an earlier server process and removes its unfinished ones.
  /// @param most size limit of all files together, in bytes; a single file may be larger.
  /// @throws std::runtime_error if the folder cannot be created or used.
  AdapterCache(std::string folder, std::uint64_t most);

  /// Returns the adapter with this name. If it is not cached, calls `make`; concurrent callers with
  /// the same name wait for the result. The file stays on disk while the caller holds the pointer.
  /// @param artifact see AdapterFile. @return the errors of `make`; kUnavailable.
  Result<std::shared_ptr<const AdapterFile>> get(const std::string& name,
                                                 const Make& make,
                                                 const std::string& artifact = {});

  std::uint64_t bytes() const;

 private:
  struct Entry {
    std::uint64_t bytes = 0;
    std::uint64_t last_used = 0;  ///< value of `uses_` at the last use
    std::weak_ptr<const AdapterFile> held;
  };

  std::string pathOf(const std::string& name) const;
  std::shared_ptr<const AdapterFile> hold(const std::string& name,
                                          const std::string& artifact,
                                          Entry& entry) SPINDLE_REQUIRES(mutex_);
  Result<void> makeFile(const std::string& name, const Make& make) const;
  void evict() SPINDLE_REQUIRES(mutex_);

  const std::string folder_;
  const std::uint64_t most_;
  mutable Mutex mutex_;
  Condition made_;
  std::map<std::string, Entry> entries_ SPINDLE_GUARDED_BY(mutex_);
  std::set<std::string> making_ SPINDLE_GUARDED_BY(mutex_);
  std::uint64_t uses_ SPINDLE_GUARDED_BY(mutex_) = 0;
};

}  // namespace spindle::inference
