#pragma once

#include <cstdint>
#include <string>

namespace spindle::inference {

/// The folder of the Unix sockets of the engines: `run/` in the data folder or, if that path is too
/// long for a socket, a folder in the system's temporary folder. Only this user can access it.
class SocketFolder {
 public:
  /// The maximum length of a socket path.
  static constexpr std::size_t kLongestPath = 99;

  /// Creates the folder and removes the sockets of an earlier server; only one server uses a data
  /// folder at a time. @throws std::runtime_error if the folder cannot be created, or if it does
  /// not belong to this user.
  explicit SocketFolder(const std::string& data_folder, const std::string& temporary_folder);

  const std::string& path() const { return path_; }
  std::string socketOf(std::uint64_t run) const;

 private:
  std::string path_;
};

}  // namespace spindle::inference
