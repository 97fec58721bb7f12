#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "base/crypto/crypto.h"

// File operations of backups. Files are created with mode 0600, folders with 0700. All failures
// throw std::runtime_error that names the path.

namespace spindle::backup {

/// The size of the pieces in which a file without block boundaries is read.
inline constexpr std::size_t kPieceSize = 1UL << 20;

/// Passes the first `bytes` bytes of a file to `take`, in pieces of at most `piece` bytes. If
/// `first` is not 0, the first piece has `first` bytes, so that the others match the block
/// boundaries of a format with a header. @throws also when the file is shorter.
void readPieces(const std::string& path,
                std::uint64_t bytes,
                std::size_t first,
                std::size_t piece,
                const std::function<void(std::string_view piece)>& take);

/// A new file that is written sequentially.
class NewFile {
 public:
  /// The file must not exist.
  explicit NewFile(const std::string& path);
  ~NewFile();
  NewFile(const NewFile&) = delete;
  NewFile& operator=(const NewFile&) = delete;

  void write(std::string_view bytes);
  /// Blocks until the content is on disk.
  void sync();

 private:
  const std::string path_;
  int descriptor_ = -1;
};

/// Creates a folder and its parents.
void makeFolder(const std::string& path);
/// Blocks until the names in a folder are on disk.
void syncFolder(const std::string& path);
/// Blocks until everything written to the file system of this path is on disk.
void syncFileSystem(const std::string& path);
void renameTo(const std::string& from, const std::string& to);
/// Writes a temporary file beside the target, syncs it and renames it to the target.
void replaceFile(const std::string& path, std::string_view content);
/// Returns the content of a file of at most `most` bytes.
std::string readWhole(const std::string& path, std::uint64_t most);
std::uint64_t sizeOf(const std::string& path);

/// Parses 64 hexadecimal digits. @return false for anything else.
bool parseDigest(std::string_view digits, Sha256& digest);

}  // namespace spindle::backup
