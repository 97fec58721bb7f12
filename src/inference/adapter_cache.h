#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>

#include "base/mutex.h"
#include "base/result.h"
#include "inference/engine_host.h"

namespace spindle::inference {

/// Adapters as files on this machine, each made once for its content. When they get too large
/// together, those go that were used least recently and that nobody holds. Thread-safe; calls block
/// on disk.
class AdapterCache {
 public:
  /// Writes the adapter to a path at which nothing is yet.
  using Make = std::function<Result<void>(const std::string& path)>;

  /// Finds what an earlier server has made, and removes what it had not finished.
  /// @param most bytes of all together; a single one may be larger
  /// @throws std::runtime_error when there can be no such folder.
  AdapterCache(std::string folder, std::uint64_t most);

  /// The adapter of a name, made when it is not there; who asks meanwhile waits for it. It stays on
  /// disk while it is held. @param artifact see AdapterFile. @return what `make` returns;
  /// kUnavailable.
  Result<std::shared_ptr<const AdapterFile>> get(const std::string& name,
                                                 const Make& make,
                                                 const std::string& artifact = {});

  std::uint64_t bytes() const;

 private:
  struct Entry {
    std::uint64_t bytes = 0;
    std::uint64_t last_used = 0;  ///< counts uses
    std::weak_ptr<const AdapterFile> held;
  };

  std::string pathOf(const std::string& name) const;
  std::shared_ptr<const AdapterFile> hold(const std::string& name,
                                          const std::string& artifact,
                                          Entry& entry) SPINDLE_REQUIRES(mutex_);
  Result<void> makeFile(const std::string& name, const Make& make) const;
  void shed() SPINDLE_REQUIRES(mutex_);

  const std::string folder_;
  const std::uint64_t most_;
  mutable Mutex mutex_;
  Condition made_;
  std::map<std::string, Entry> entries_ SPINDLE_GUARDED_BY(mutex_);
  std::set<std::string> making_ SPINDLE_GUARDED_BY(mutex_);
  std::uint64_t uses_ SPINDLE_GUARDED_BY(mutex_) = 0;
};

}  // namespace spindle::inference
