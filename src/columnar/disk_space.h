#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/error.h"

namespace spindle::columnar {

/// What a full disk is told like everywhere.
Error diskFull();
/// Whether an errno means that there is no room.
bool meansFull(int problem);

/// Watches the room that is left for a store, and takes it before DuckDB needs it: DuckDB does not
/// survive a disk that fills up under its hands. Thread-safe apart from reserve().
class DiskSpace {
 public:
  /// `file` is DuckDB's. @throws std::system_error when it cannot be opened.
  DiskSpace(std::string folder, const std::string& file);
  ~DiskSpace();
  DiskSpace(const DiskSpace&) = delete;
  DiskSpace& operator=(const DiskSpace&) = delete;

  /// Bytes that may still be written; a great many when the disk does not tell.
  std::uint64_t left() const;

  /// Whether rows of so many bytes fit, those that wait in memory and in the journal included.
  bool admits(std::uint64_t recent_bytes) const;
  /// Whether it is time to make the most of what is left by moving rows to the file, where they are
  /// smaller.
  bool isShort(std::uint64_t recent_bytes) const;

  /// Makes sure that rows of so many bytes can be moved into the file. @return kStorageFull
  std::optional<Error> reserve(std::uint64_t bytes) const;

 private:
  const std::string folder_;
  const int descriptor_;  // kept open: closing any would take DuckDB's lock off the file
};

}  // namespace spindle::columnar
