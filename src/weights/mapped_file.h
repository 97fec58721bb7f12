#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "base/result.h"

namespace spindle::weights {

/// A file's bytes, read as they are looked at. They must not change meanwhile. Moving it keeps
/// views of it valid.
class MappedFile {
 public:
  /// @return kNotFound, kUnavailable, naming the file
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
