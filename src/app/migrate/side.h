#pragma once

#include <memory>
#include <string>

#include "app/migrate/trace_rows.h"
#include "base/core/metrics.h"
#include "base/core/time.h"
#include "config/settings.h"
#include "storage/blobs/blob_store.h"
#include "storage/database/database.h"
#include "storage/folder/data_folder.h"
#include "storage/folder/key_ring.h"

namespace spindle::app {

/// Reads the settings of one side of a move. A name that ends in `.toml` is a settings file, which
/// is read with the environment of this process as `spindle serve --config` does. Any other name is
/// a data folder with the embedded stores; of the environment, only
/// SPINDLE_SECRET_KEY and SPINDLE_ADMIN_API_KEY count.
/// @throws std::runtime_error with a message for the operator.
config::Settings settingsOfSide(const std::string& name);

/// One of the two deployments of a move: its settings and its data folder.
class Side {
 public:
  /// `metrics` and `clock` must outlive the side. Creates the data folder of the target.
  /// @throws std::runtime_error if the data folder does not exist or cannot be created.
  Side(std::string name,
       config::Settings settings,
       bool is_target,
       MetricRegistry& metrics,
       const Clock& clock);

  /// Returns the name that the operator gave.
  const std::string& name() const { return name_; }
  const config::Settings& settings() const { return settings_; }
  const storage::DataFolder& folder() const { return *folder_; }

  // The places of the stores, without passwords. Two sides with the same place share the store.
  std::string metadataPlace() const;
  std::string filesPlace() const;
  std::string tracesPlace() const;

  /// Opens the metadata database. @throws std::runtime_error
  std::unique_ptr<storage::Database> openDatabase() const;
  /// Opens the blob store. Does not keep copies of the blobs of a bucket. @throws
  /// std::runtime_error
  std::unique_ptr<storage::BlobStore> openBlobs(storage::Database& database) const;

  /// Opens the trace store; creates that of the target. `folder` is the data folder, or a copy that
  /// has its traces.
  /// @throws std::runtime_error
  std::unique_ptr<TraceRows> openTraces(const storage::DataFolder& folder) const;

  bool hasKey() const;
  /// Returns the secret key, which must exist. @throws std::runtime_error
  storage::KeyRing key() const;

  /// Returns the folder for temporary files of the move.
  std::string workFolder() const;

 private:
  const std::string name_;
  const config::Settings settings_;
  const bool is_target_;
  MetricRegistry& metrics_;
  const Clock& clock_;
  std::unique_ptr<storage::DataFolder> folder_;
};

}  // namespace spindle::app
