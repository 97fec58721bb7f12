#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/core/error.h"

namespace spindle::columnar {

/// Returns the error that every component reports for a full disk.
Error diskFull();
/// Returns true if an errno means that the disk is full.
bool isDiskFull(int problem);

/// Monitors the free disk space of a store and reserves space before DuckDB needs it, because
/// DuckDB does not survive a write error on a full disk. Thread-safe except reserve().
class DiskSpace {
 public:
  /// `file` is the DuckDB file. @throws std::system_error when it cannot be opened.
  DiskSpace(std::string folder, const std::string& file);
  ~DiskSpace();
  DiskSpace(const DiskSpace&) = delete;
  DiskSpace& operator=(const DiskSpace&) = delete;

  /// Returns the free bytes, or a very large number when the file system does not report them.
  std::uint64_t left() const;

  /// Returns true if `recent_bytes` bytes of rows fit, including those in memory and in the
  /// journal.
  bool admits(std::uint64_t recent_bytes) const;
  /// Returns true if space is low, so that rows should move to the file, where they need less.
  bool isShort(std::uint64_t recent_bytes) const;

  /// Reserves space to move rows of `bytes` bytes into the file. @return kStorageFull
  std::optional<Error> reserve(std::uint64_t bytes) const;

 private:
  const std::string folder_;
  const int descriptor_;  // stays open: close() would release DuckDB's file lock
};

}  // namespace spindle::columnar
