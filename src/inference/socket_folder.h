#pragma once

#include <cstdint>
#include <string>

namespace spindle::inference {

/// The folder of the sockets that engines listen on: `run/` in the data folder, or one under the
/// system's folder for temporary files when that path is too long for a socket. It belongs to this
/// user alone.
class SocketFolder {
 public:
  /// Longest path of a socket in it.
  static constexpr std::size_t kLongestPath = 99;

  /// Makes the folder, and removes sockets that an earlier server has left: of one data folder
  /// there is one server at a time. @throws std::runtime_error when the folder cannot be made, or
  /// is not this user's alone.
  explicit SocketFolder(const std::string& data_folder, const std::string& temporary_folder);

  const std::string& path() const { return path_; }
  std::string socketOf(std::uint64_t run) const;

 private:
  std::string path_;
};

}  // namespace spindle::inference
