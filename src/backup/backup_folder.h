#pragma once

#include <memory>
#include <string>
#include <vector>

#include "backup/manifest.h"
#include "backup/object_folder.h"
#include "base/core/time.h"
#include "base/process/file_lock.h"

namespace spindle::backup {

/// A folder with backup points: `points/<name>.manifest`, and the objects that they refer to. Only
/// its user can access the folder. All failures throw std::runtime_error with a message for the
/// operator.
class BackupFolder {
 public:
  enum class Use {
    kRead,   ///< the folder must be a backup folder
    kWrite,  ///< created if missing; refused while another process writes to it
  };
  BackupFolder(std::string path, Use use);

  /// Returns true if the path is a backup folder.
  static bool isBackupFolder(const std::string& path);

  const std::string& path() const { return path_; }
  ObjectFolder& objects() { return objects_; }
  const ObjectFolder& objects() const { return objects_; }

  /// Returns the names of the points, oldest first.
  std::vector<std::string> points() const;
  /// Returns the name of a new point, `000007-20261231T120000Z`. Its number is above those of all
  /// existing points, so that names sort in backup order whatever the clock says.
  std::string newPoint(Timestamp now) const;
  /// Reads a manifest. @return kInvalidArgument when it is damaged; kNotFound.
  Result<Manifest> load(const std::string& point) const;
  /// Writes a manifest; the point exists from then on. Its objects must have been published before.
  void save(const Manifest& manifest);

  struct Pruned {
    std::size_t points = 0;
    std::size_t objects = 0;
    std::uint64_t bytes = 0;
  };
  /// Removes all points except the newest `keep`, and the objects that no remaining point refers
  /// to. Fails when a remaining manifest is damaged.
  Pruned prune(std::size_t keep);

  /// Returns the blobs of a point. @return kInvalidArgument when the list is damaged.
  Result<std::vector<BackedUpBlob>> blobsOf(const Manifest& manifest) const;

 private:
  std::string manifestPath(const std::string& point) const;

  const std::string path_;
  ObjectFolder objects_;
  std::unique_ptr<FileLock> lock_;
};

}  // namespace spindle::backup
