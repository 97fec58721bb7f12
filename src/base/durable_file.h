#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace spindle {

/// Writes a file (mode 0600). Errors: kUnavailable, naming the file.
class FileWriter {
 public:
  FileWriter() = default;
  ~FileWriter();
  FileWriter(const FileWriter&) = delete;
  FileWriter& operator=(const FileWriter&) = delete;

  /// What stands there is lost.
  Result<void> open(const std::string& path);
  /// Goes on behind what stands there.
  Result<void> openAtEnd(const std::string& path);
  Result<void> add(std::string_view bytes);
  Result<void> close();

 private:
  std::string path_;
  int descriptor_ = -1;
};

/// Gives a file its final name: its content and its name are on disk when the call returns.
Result<void> moveIntoPlace(const std::string& from, const std::string& to);

}  // namespace spindle
