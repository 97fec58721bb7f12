#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>

#include "base/core/mutex.h"
#include "base/core/result.h"

namespace spindle::storage {

/// A file of a FileCache. It stays on disk while a pointer to it exists.
struct CachedFile {
  std::string name;
  std::string path;
};

/// A disk cache of files that can be made again, one file per name. Above its size limit, it evicts
/// the least recently used files that no caller holds. Thread-safe; calls block on disk.
class FileCache {
 public:
  /// Writes the file to a path where no file exists yet.
  using Make = std::function<Result<void>(const std::string& path)>;

  /// Creates the folder (mode 0700) if it is missing. Finds the files of an earlier server process
  /// and removes its unfinished ones.
  /// @param ending of all file names, such as `.gguf`
  /// @param most size limit of all files together on disk, in bytes; a single file may be larger.
  /// @throws std::runtime_error if the folder cannot be created or used.
  FileCache(std::string folder, std::string ending, std::uint64_t most);

  /// Returns the file with this name, which consists of letters, digits, `-` and `_`. If it is not
  /// cached, calls `make`; concurrent callers with the same name wait for the result.
  /// @return the errors of `make`; kUnavailable.
  Result<std::shared_ptr<const CachedFile>> get(const std::string& name, const Make& make);

  /// Returns the file if it is cached; null otherwise.
  std::shared_ptr<const CachedFile> find(const std::string& name);

  /// Evicts files until a new one of this size fits. @return false if it cannot fit at the moment:
  /// callers hold too much.
  bool makeRoom(std::uint64_t bytes);

  /// Returns a new path in the folder. The next process removes what is left there.
  std::string temporaryPath() const;

  std::uint64_t bytes() const;

 private:
  struct Entry {
    std::uint64_t bytes = 0;
    std::uint64_t last_used = 0;  ///< value of `uses_` at the last use
    std::weak_ptr<const CachedFile> held;
  };

  std::string pathOf(const std::string& name) const;
  std::shared_ptr<const CachedFile> hold(const std::string& name, Entry& entry)
      SPINDLE_REQUIRES(mutex_);
  std::shared_ptr<const CachedFile> findIn(const std::string& name) SPINDLE_REQUIRES(mutex_);
  Result<void> makeFile(const std::string& name, const Make& make) const;
  /// Evicts files until at most `most` bytes are left. @return the bytes that are left.
  std::uint64_t evict(std::uint64_t most) SPINDLE_REQUIRES(mutex_);

  const std::string folder_;
  const std::string ending_;
  const std::uint64_t most_;
  mutable Mutex mutex_;
  Condition made_;
  std::map<std::string, Entry> entries_ SPINDLE_GUARDED_BY(mutex_);
  std::set<std::string> making_ SPINDLE_GUARDED_BY(mutex_);
  std::uint64_t uses_ SPINDLE_GUARDED_BY(mutex_) = 0;
};

}  // namespace spindle::storage
