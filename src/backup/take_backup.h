#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "backup/backup_folder.h"
#include "columnar/store_hold.h"
#include "storage/blob_collector.h"

namespace spindle::backup {

/// The process that has the data folder open, as a backup needs it. All failures throw
/// std::runtime_error.
class DataHolder {
 public:
  virtual ~DataHolder() = default;

  /// Makes the files of the data folder fit for copying: no blob is removed, and the columnar store
  /// is held (columnar::StoreHold). Blocks for a flush.
  virtual void begin() = 0;
  /// Returns the files of the columnar store, complete at this moment. Must be quick: called while
  /// no transaction of the metadata can commit.
  virtual std::vector<columnar::HeldFile> mark() = 0;
  /// Lets go. @throws when the files were not held all the time: then the copy is useless.
  virtual void end() = 0;
  /// Returns true while a server has the folder open.
  virtual bool online() const = 0;
};

struct BackupOptions {
  std::string data_folder;
  std::vector<storage::BlobColumn> blob_columns;  ///< every column that names blobs
  bool metadata = true;  ///< false: it is on PostgreSQL; then every blob of the folder is copied
  bool secrets = true;
  std::string settings;  ///< TOML text of the settings, for reference
  std::string version;   ///< of this program
  Timestamp now;
  /// Told what is being done, a line at a time.
  std::function<void(const std::string& line)> say = [](const std::string&) {};
};

struct BackupOutcome {
  Manifest manifest;
  std::uint64_t bytes_written = 0;  ///< of new objects
  std::uint64_t bytes_reused = 0;   ///< that earlier points had
};

/// Adds a point to a backup folder. The point has everything that was acknowledged before
/// `holder.begin()` returned, as a power cut in one moment afterwards would have left it: metadata
/// and rows are of the same moment, and every blob that the metadata refers to is there.
///
/// Only content that no earlier point has is written. Interrupted at any time, it leaves the
/// earlier points as they are. @throws std::runtime_error with a message for the operator.
BackupOutcome takeBackup(BackupFolder& target, const BackupOptions& options, DataHolder& holder);

/// Returns the blobs that a SQLite file refers to, without repetition.
/// @throws std::runtime_error
std::vector<Sha256> blobsNamedIn(const std::string& database,
                                 bool complete,
                                 const std::vector<storage::BlobColumn>& columns);

}  // namespace spindle::backup
