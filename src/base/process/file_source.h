#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "base/core/result.h"

namespace spindle {

/// A file that can be read at any offset. The destructor closes it.
class FileSource {
 public:
  /// Opens the file; read() reports a failure.
  explicit FileSource(const std::string& path);
  ~FileSource();
  FileSource(const FileSource&) = delete;
  FileSource& operator=(const FileSource&) = delete;

  /// Reads at least one byte. @return kUnavailable, with the path, also at the end of the file.
  Result<std::string> read(std::uint64_t offset, std::size_t most) const;

 private:
  Error failure(int code) const;

  const std::string path_;
  const int descriptor_;
  const int open_error_;  ///< meaningful if the file could not be opened
};

}  // namespace spindle
