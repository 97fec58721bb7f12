#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "base/core/result.h"

namespace spindle::weights {

/// A read-only memory mapping of a file. The file must not change while it is mapped. Views of the
/// bytes stay valid when the object is moved.
class MappedFile {
 public:
  /// Maps a file. @return kNotFound or kUnavailable, with the file name
  static Result<MappedFile> open(const std::string& path);

  MappedFile(MappedFile&& other) noexcept;
  MappedFile& operator=(MappedFile&& other) noexcept;
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;
  ~MappedFile();

  std::string_view bytes() const { return {static_cast<const char*>(data_), size_}; }

 private:
  MappedFile(void* data, std::size_t size) : data_(data), size_(size) {}

  void* data_;  ///< null for an empty file
  std::size_t size_;
};

}  // namespace spindle::weights
