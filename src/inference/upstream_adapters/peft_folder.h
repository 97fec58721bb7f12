#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>

#include "base/core/mutex.h"
#include "base/core/result.h"
#include "inference/adapters/peft_adapter.h"

namespace spindle::inference {

/// An adapter on disk. It stays there while the pointer is held.
struct StagedAdapter {
  std::string name;
  std::string path;  ///< the folder with both files
};

/// A folder of PEFT adapters that upstreams read, one folder per content. Several servers may share
/// it. Above its size limit, it evicts the least recently staged adapters that nobody holds here
/// and that are older than an age limit, because another server may use newer ones. Other programs
/// may read the files (mode 0644). Thread-safe; calls block on disk.
class PeftFolder {
 public:
  struct Options {
    std::string folder;
    std::uint64_t most = 0;                 ///< size limit of all adapters together, in bytes
    std::chrono::seconds least_age{3'600};  ///< time for which an adapter is not evicted
    bool is_private = false;                ///< closed to other users of the machine
  };
  /// @throws std::runtime_error if the folder cannot be created or used.
  explicit PeftFolder(Options options);

  const std::string& path() const { return options_.folder; }

  /// Returns the adapter. If it is not on disk, writes it; concurrent callers with the same name
  /// wait for the result. @return the errors of PeftAdapter::write; kUnavailable.
  Result<std::shared_ptr<const StagedAdapter>> stage(const PeftAdapter& adapter);

 private:
  std::shared_ptr<const StagedAdapter> hold(const std::string& name) SPINDLE_REQUIRES(mutex_);
  std::string pathOf(const std::string& name) const { return options_.folder + "/" + name; }
  Result<void> write(const PeftAdapter& adapter) const;
  void evict();

  const Options options_;
  Mutex mutex_;
  Condition written_;
  std::set<std::string> writing_ SPINDLE_GUARDED_BY(mutex_);
  std::map<std::string, std::weak_ptr<const StagedAdapter>> held_ SPINDLE_GUARDED_BY(mutex_);
};

}  // namespace spindle::inference
