#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "backup/backup_folder.h"
#include "columnar/store/store_hold.h"
#include "storage/blobs/blob_collector.h"

namespace spindle::backup {

/// Access to the process that has the data folder open, for a backup. All failures throw
/// std::runtime_error.
class DataFolderHold {
 public:
  virtual ~DataFolderHold() = default;

  /// Makes the files of the data folder copyable: no blob is removed, and the columnar store is
  /// held (columnar::StoreHold). Blocks for a flush.
  virtual void begin() = 0;
  /// Returns the files of the columnar store, complete at this moment. Must be quick, because no
  /// metadata transaction can commit during the call.
  virtual std::vector<columnar::HeldFile> mark() = 0;
  /// Ends the hold. @throws when the files were not held all the time; then the copy is useless.
  virtual void end() = 0;
  /// Returns true while a server has the folder open.
  virtual bool online() const = 0;
};

struct BackupOptions {
  std::string data_folder;
  std::vector<storage::BlobColumn> blob_columns;  ///< all columns that contain blob names
  bool metadata = true;  ///< false if it is in PostgreSQL; then all blobs are copied
  bool traces = true;    ///< false if they are in ClickHouse
  bool blobs = true;     ///< false if they are in an S3 bucket; then none is copied
  bool secrets = true;
  std::string settings;  ///< TOML text of the settings, for reference
  std::string version;   ///< of this program
  Timestamp now;
  /// Receives progress messages, one line at a time.
  std::function<void(const std::string& line)> say = [](const std::string&) {};
};

struct BackupOutcome {
  Manifest manifest;
  std::uint64_t bytes_written = 0;  ///< of new objects
  std::uint64_t bytes_reused = 0;   ///< in earlier points
};

/// Adds a point to a backup folder. The point contains everything that was acknowledged before
/// `holder.begin()` returned, in the state that a power failure at one later moment would have
/// left. Metadata and rows are of the same moment, and every blob that the metadata refers to is
/// included, unless the blobs are in an S3 bucket. Rows in ClickHouse are not included.
///
/// Writes only content that no earlier point has. An interruption at any time leaves the earlier
/// points unchanged. @throws std::runtime_error with a message for the operator.
BackupOutcome takeBackup(BackupFolder& target,
                         const BackupOptions& options,
                         DataFolderHold& holder);

/// Returns the distinct blobs that a SQLite file refers to. @throws std::runtime_error
std::vector<Sha256> blobsNamedIn(const std::string& database,
                                 bool complete,
                                 const std::vector<storage::BlobColumn>& columns);

}  // namespace spindle::backup
