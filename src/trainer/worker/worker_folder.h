#pragma once

#include <memory>
#include <string>

#include "base/core/result.h"
#include "base/process/file_lock.h"

namespace spindle::trainer {

/// A folder that a worker uses exclusively, and the worker name stored in it. The name is unique on
/// this host and stays the same for every worker that uses the folder later. So the server
/// recognizes a killed worker when it restarts, and two concurrent workers have different names.
class WorkerFolder {
 public:
  /// Locks the folder; creates it if it does not exist.
  /// @return kConflict if another worker uses it; kUnavailable if it cannot be used; both with
  ///     advice
  static Result<WorkerFolder> take(const std::string& path);
  /// Locks `path`, or the first free one of `path-2`, `path-3`, ….
  static Result<WorkerFolder> takeFirstFree(const std::string& path);

  const std::string& path() const { return path_; }
  /// Returns the host name and letters that were generated when the folder was first used.
  const std::string& workerName() const { return worker_name_; }

 private:
  WorkerFolder(std::string path, std::string worker_name, std::unique_ptr<FileLock> lock);

  std::string path_;
  std::string worker_name_;
  std::unique_ptr<FileLock> lock_;
};

}  // namespace spindle::trainer
