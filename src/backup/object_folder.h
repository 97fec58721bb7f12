#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/crypto.h"

namespace spindle::backup {

/// The content of a backup folder: files named by the SHA-256 of their bytes, below `objects`, each
/// stored once however many points refer to it.
///
/// New objects are written below `incoming` and moved by publish() when they are on disk, so an
/// object has its name only when it is whole. Objects that an interrupted backup left there are
/// taken over when their bytes match their names. One process at a time. All failures throw
/// std::runtime_error.
class ObjectFolder {
 public:
  /// `folder` is the backup folder.
  explicit ObjectFolder(std::string folder) : folder_(std::move(folder)) {}

  /// Creates the folders and takes over what an interrupted backup left. For writing.
  void prepare();

  /// Returns true if there is an object of that name and size. Its bytes are not read.
  bool contains(const Sha256& digest, std::uint64_t size) const;
  /// Returns the size of an object, or nothing.
  std::optional<std::uint64_t> find(const Sha256& digest) const;

  /// Adds bytes under their digest, unless they are there. @return the number of bytes written.
  std::uint64_t put(const Sha256& digest, std::string_view bytes);
  /// Adds a file of any size. @return the number of bytes written, or nothing when the bytes of the
  /// file do not match the digest: then nothing is added.
  std::optional<std::uint64_t> putFile(const Sha256& digest, const std::string& path);
  /// Gives every new object its place. Everything is on disk when the call returns.
  void publish();

  /// Gives the bytes of an object to `take`, piece by piece, and compares them with its name.
  /// @return what is wrong with the object, or nothing. Pieces may have been taken before a problem
  /// is found.
  std::string read(const Sha256& digest,
                   std::uint64_t size,
                   const std::function<void(std::string_view piece)>& take) const;

  /// Returns the names of all objects in their place.
  std::vector<Sha256> list() const;
  void remove(const Sha256& digest);

  /// Returns a folder for temporary files, empty and below `incoming`.
  std::string makeScratch();
  void clearScratch();

 private:
  std::string placeOf(const Sha256& digest) const;
  std::string incomingPlaceOf(const Sha256& digest) const;
  std::string incoming() const { return folder_ + "/incoming"; }

  const std::string folder_;
};

}  // namespace spindle::backup
