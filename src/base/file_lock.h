#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace spindle {

/// A file that one holder at a time has for itself. The lock goes with the process, however that
/// ends; the file stays. What its holder notes in it is for those who come too late.
class FileLock {
 public:
  /// Makes the file (mode 0600) when it is missing. @return nullptr when somebody else holds it;
  /// kUnavailable, naming the file
  static Result<std::unique_ptr<FileLock>> take(const std::string& path);
  ~FileLock();
  FileLock(const FileLock&) = delete;
  FileLock& operator=(const FileLock&) = delete;

  /// In place of what was noted before. @return kUnavailable
  Result<void> note(std::string_view text);

  /// What the holder of a file has noted; nothing when nobody holds it.
  static std::optional<std::string> noteOfHolder(const std::string& path);

 private:
  FileLock(std::string path, int descriptor);

  const std::string path_;
  const int descriptor_;
};

}  // namespace spindle
