#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace spindle {
class FileLock;
}

namespace spindle::storage {

/// The folder that holds everything a server keeps on this machine. Files in it belong to the
/// server's user alone. All failures throw std::runtime_error: this is start-up.
class DataFolder {
 public:
  /// Creates the folder (mode 0700) and its parents when missing.
  explicit DataFolder(std::string path);

  const std::string& path() const { return path_; }
  std::string fileAt(std::string_view name) const { return path_ + "/" + std::string(name); }

  /// The content of a small file, or nothing when it does not exist.
  std::optional<std::string> read(std::string_view name) const;

  /// Creates a file (mode 0600) with this content, whole and on disk when the call returns.
  /// @return false when it exists already; it is left as it is.
  bool create(std::string_view name, std::string_view content) const;

  /// Puts this content in place of the file's, all at once and on disk when the call returns.
  void replace(std::string_view name, std::string_view content) const;

 private:
  std::string writeBeside(std::string_view name, std::string_view content) const;
  void syncFolder() const;

  std::string path_;
};

/// The server that has a data folder open.
struct FolderHolder {
  int pid = 0;      ///< 0 when unknown
  std::string url;  ///< empty until the server listens
};

/// Keeps a second server out of a data folder for as long as it lives, and lets go when the process
/// dies in any way. Command-line tools work without it.
class DataFolderLock {
 public:
  /// @throws std::runtime_error naming the process that holds the folder.
  explicit DataFolderLock(const DataFolder& folder);
  ~DataFolderLock();
  DataFolderLock(const DataFolderLock&) = delete;
  DataFolderLock& operator=(const DataFolderLock&) = delete;

  /// Writes down where the server listens, for tools and for the message a second server gives.
  void announce(std::string_view url);

  /// Who holds the folder now, if anyone.
  static std::optional<FolderHolder> holder(const DataFolder& folder);

 private:
  std::unique_ptr<FileLock> lock_;
};

}  // namespace spindle::storage
