#pragma once

#include <string>
#include <string_view>

#include "base/core/result.h"

namespace spindle {

/// Writes a file (mode 0600). Errors: kUnavailable, with the file name.
class FileWriter {
 public:
  FileWriter() = default;
  ~FileWriter();
  FileWriter(const FileWriter&) = delete;
  FileWriter& operator=(const FileWriter&) = delete;

  /// Opens the file and deletes its content.
  Result<void> open(const std::string& path);
  /// Opens the file and appends to its content.
  Result<void> openAtEnd(const std::string& path);
  Result<void> add(std::string_view bytes);
  Result<void> close();

 private:
  std::string path_;
  int descriptor_ = -1;
};

/// Renames a file to its final name. Its content and its name are on disk when the call returns.
Result<void> moveIntoPlace(const std::string& from, const std::string& to);

}  // namespace spindle
