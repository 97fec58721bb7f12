#pragma once

#include <memory>
#include <string>

#include "base/file_lock.h"
#include "base/result.h"

namespace spindle::trainer {

/// The folder that a worker has for itself as long as it lives, and the name that goes with it: the
/// same for every worker that has this folder later on, and on this host nobody else's. So a worker
/// that was killed is known again when it comes back, and two that run side by side are two.
class WorkerFolder {
 public:
  /// Makes the folder when it is missing. @return kConflict when another worker has it,
  /// kUnavailable when it cannot be used; both say what to do
  static Result<WorkerFolder> take(const std::string& path);
  /// `path`, or the first of `path-2`, `path-3`, … that is free.
  static Result<WorkerFolder> takeFreeOne(const std::string& path);

  const std::string& path() const { return path_; }
  /// Of the host, with letters that were drawn when the folder was first used.
  const std::string& workerName() const { return worker_name_; }

 private:
  WorkerFolder(std::string path, std::string worker_name, std::unique_ptr<FileLock> lock);

  std::string path_;
  std::string worker_name_;
  std::unique_ptr<FileLock> lock_;
};

}  // namespace spindle::trainer
