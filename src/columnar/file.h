#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace spindle::columnar {

/// Bytes of a file, read as they are looked at.
class FileView {
 public:
  virtual ~FileView() = default;
  virtual std::string_view bytes() const = 0;
};

/// A file that grows at its end. Failures are told as errno, 0 is success. Reading is thread-safe,
/// the rest is for one thread.
class File {
 public:
  virtual ~File() = default;

  /// Writes all of it at `offset`, or tells why not; then any part of it may have been written.
  virtual int write(std::uint64_t offset, std::string_view bytes) = 0;
  /// Waits until what was written is on disk.
  virtual int sync() = 0;
  virtual int truncate(std::uint64_t size) = 0;

  /// Up to `count` bytes; fewer at the end of the file and when reading fails.
  virtual std::string read(std::uint64_t offset, std::size_t count) const = 0;
  virtual std::uint64_t size() const = 0;
  /// Maps bytes that the file has, however many, without taking memory for them. Null when that
  /// fails.
  virtual std::unique_ptr<FileView> view(std::uint64_t offset, std::size_t count) const = 0;
};

/// Creates a file (mode 0600) that must not exist, or opens one that must. The name of a new file
/// is on disk when the call returns. @throws std::system_error
std::unique_ptr<File> createFile(const std::string& path);
std::unique_ptr<File> openFile(const std::string& path);

/// Gives a file that is complete its name, at once and on disk: nobody ever finds a part of it
/// there. @throws std::system_error
void placeFile(const std::string& from, const std::string& to);

/// Moves a damaged file, or a folder that stands in its place, into the folder `damaged` beside it,
/// under a name that is not taken.
/// @return its new path. @throws std::system_error
std::string setAside(const std::string& path);
/// The same with a second name for the file, which keeps the first.
std::string keepCopy(const std::string& path);

}  // namespace spindle::columnar
