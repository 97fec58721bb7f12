#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/core/result.h"

namespace spindle {

/// An exclusive lock on a file. The kernel releases the lock when the process ends for any reason;
/// the file stays. The holder can write a note into the file for processes that find it locked.
class FileLock {
 public:
  /// Locks the file; creates it (mode 0600) if missing. @return nullptr when the lock is already
  /// held; kUnavailable, with the file name
  static Result<std::unique_ptr<FileLock>> take(const std::string& path);
  ~FileLock();
  FileLock(const FileLock&) = delete;
  FileLock& operator=(const FileLock&) = delete;

  /// Replaces the note. @return kUnavailable
  Result<void> note(std::string_view text);

  /// Returns the note of the current holder, or nothing when the file is not locked.
  static std::optional<std::string> holderNote(const std::string& path);

 private:
  FileLock(std::string path, int descriptor);

  const std::string path_;
  const int descriptor_;
};

}  // namespace spindle
