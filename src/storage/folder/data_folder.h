#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/process/file_lock.h"

namespace spindle::storage {

/// The folder with all data of a server on this machine. Only the server's user can read its files.
/// All failures throw std::runtime_error, because they occur at start-up.
class DataFolder {
 public:
  /// Creates the folder (mode 0700) and its parents if they are missing.
  explicit DataFolder(std::string path);

  const std::string& path() const { return path_; }
  std::string fileAt(std::string_view name) const { return path_ + "/" + std::string(name); }

  /// Returns the content of a small file, or nothing if the file does not exist.
  std::optional<std::string> read(std::string_view name) const;

  /// Creates a file (mode 0600) with this content atomically; the file is on disk when the call
  /// returns.
  /// @return false if the file exists already; it stays unchanged.
  bool create(std::string_view name, std::string_view content) const;

  /// Replaces the content of a file atomically; the new content is on disk when the call returns.
  void replace(std::string_view name, std::string_view content) const;

 private:
  std::string writeTemporaryFile(std::string_view name, std::string_view content) const;
  void syncFolder() const;

  std::string path_;
};

/// The server that uses a data folder.
struct FolderHolder {
  int pid = 0;             ///< 0 when unknown
  std::string url;         ///< empty until the server listens
  bool read_only = false;  ///< the server changes nothing (`server.read_only`)
};

/// Prevents a second server from using a data folder. The lock ends with this object or with the
/// process, however it ends. Command-line tools work without the lock.
class DataFolderLock {
 public:
  /// @throws std::runtime_error that names the process that uses the folder.
  explicit DataFolderLock(const DataFolder& folder);

  /// Records the URL of the server, for tools and for the error message of a second server.
  void announce(std::string_view url, bool read_only = false);

  /// Returns the server that uses the folder now, if any.
  static std::optional<FolderHolder> holder(const DataFolder& folder);

 private:
  std::unique_ptr<FileLock> lock_;
};

}  // namespace spindle::storage
