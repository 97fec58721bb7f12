#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace spindle::columnar {

/// Read-only memory-mapped bytes of a file.
class FileView {
 public:
  virtual ~FileView() = default;
  virtual std::string_view bytes() const = 0;
};

/// An append-only file. Errors are returned as errno, 0 is success. Reading is thread-safe; the
/// other functions are for one thread.
class File {
 public:
  virtual ~File() = default;

  /// Writes all bytes at `offset`. @return errno; after an error, any part may have been written.
  virtual int write(std::uint64_t offset, std::string_view bytes) = 0;
  /// Blocks until all written bytes are on disk.
  virtual int sync() = 0;
  virtual int truncate(std::uint64_t size) = 0;

  /// Returns up to `count` bytes; fewer at the end of the file or when reading fails.
  virtual std::string read(std::uint64_t offset, std::size_t count) const = 0;
  virtual std::uint64_t size() const = 0;
  /// Maps existing bytes of the file, of any size, without allocating memory for them. Returns null
  /// on failure.
  virtual std::unique_ptr<FileView> view(std::uint64_t offset, std::size_t count) const = 0;
};

/// createFile() creates a file (mode 0600) that must not exist; openFile() opens one that must
/// exist. The name of a new file is on disk when the call returns. @throws std::system_error
std::unique_ptr<File> createFile(const std::string& path);
std::unique_ptr<File> openFile(const std::string& path);

/// Renames a complete file to its final name, atomically and durably, so that no reader finds a
/// partial file there. @throws std::system_error
void publishFile(const std::string& from, const std::string& to);

/// Moves a damaged file, or a folder in its place, into the sibling folder `damaged` under an
/// unused name. @return the new path. @throws std::system_error
std::string moveToDamaged(const std::string& path);
/// Adds a hard link to the file in the folder `damaged`; the original name stays.
std::string linkToDamaged(const std::string& path);

}  // namespace spindle::columnar
