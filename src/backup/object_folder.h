#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/crypto/crypto.h"

namespace spindle::backup {

/// Content-addressed files of a backup folder: each file below `objects` is named by the SHA-256 of
/// its bytes and stored once, however many points refer to it.
///
/// New objects are written below `incoming`. publish() moves them when they are on disk, so an
/// object has its final name only when it is complete. Objects that an interrupted backup left in
/// `incoming` are reused if their bytes match their names. For one process at a time. All failures
/// throw std::runtime_error.
class ObjectFolder {
 public:
  /// `folder` is the backup folder.
  explicit ObjectFolder(std::string folder) : folder_(std::move(folder)) {}

  /// Creates the folders and checks the objects that an interrupted backup left. For writing.
  void prepare();

  /// Returns true if an object of that name and size exists. Does not read its bytes.
  bool contains(const Sha256& digest, std::uint64_t size) const;
  /// Returns the size of an object, or nothing.
  std::optional<std::uint64_t> find(const Sha256& digest) const;

  /// Adds bytes under their digest, unless they exist. @return the number of bytes written.
  std::uint64_t put(const Sha256& digest, std::string_view bytes);
  /// Adds a file of any size. @return the number of bytes written, or nothing if the file does not
  /// match the digest; then nothing is added.
  std::optional<std::uint64_t> putFile(const Sha256& digest, const std::string& path);
  /// Moves all new objects to their final names. Everything is on disk when the call returns.
  void publish();

  /// Passes the bytes of an object to `take`, in pieces, and verifies the digest. @return a
  /// description of the problem, or an empty text. Pieces may have been passed before a problem is
  /// found.
  std::string read(const Sha256& digest,
                   std::uint64_t size,
                   const std::function<void(std::string_view piece)>& take) const;

  /// Returns the names of all published objects.
  std::vector<Sha256> list() const;
  void remove(const Sha256& digest);

  /// Creates and returns an empty folder for temporary files, below `incoming`.
  std::string makeScratch();
  void clearScratch();

 private:
  std::string placeOf(const Sha256& digest) const;
  std::string incomingPlaceOf(const Sha256& digest) const;
  std::string incoming() const { return folder_ + "/incoming"; }

  const std::string folder_;
};

}  // namespace spindle::backup
