#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "base/crypto/crypto.h"
#include "storage/blobs/blob_collector.h"

namespace spindle::backup {

/// Result of a check.
struct CheckReport {
  std::vector<std::string> problems;  ///< missing or wrong data; empty if everything is intact
  std::vector<std::string> notes;     ///< worth knowing, but not a problem
  std::vector<std::string> facts;     ///< one line per checked item

  bool clean() const { return problems.empty(); }
  void add(const CheckReport& other);
};

struct CheckOptions {
  std::vector<storage::BlobColumn> blob_columns;  ///< all columns that contain blob names
  bool metadata = true;                           ///< false if the metadata is in PostgreSQL
  bool blobs = true;                              ///< false if the blobs are in an S3 bucket
  /// False while a server has the folder open, because its columnar store then cannot be read.
  bool traces = true;
  std::size_t memory_bytes = 400UL << 20;  ///< for table scans
  /// Checks a copy of a data folder and may change it; see checkPoint(). May be empty.
  std::function<void(const std::string& folder, CheckReport& report)> check_copy = nullptr;
  /// Receives progress messages, one line at a time.
  std::function<void(const std::string& line)> say = [](const std::string&) {};
};

/// Checks a data folder without changing it: the metadata with SQLite's own check, every row of
/// every table and every journal of the columnar store, the digest of every blob, and that every
/// blob exists that the metadata refers to. Reads all data.
CheckReport checkDataFolder(const std::string& folder, const CheckOptions& options);

/// Checks the metadata for checkDataFolder(). `complete` as in storage::SqliteFile. `has_blob`
/// returns true if a blob exists.
void checkMetadata(const std::string& file,
                   bool complete,
                   const CheckOptions& options,
                   const std::function<bool(const Sha256& digest)>& has_blob,
                   CheckReport& report);

/// Checks the columnar store for checkDataFolder().
void checkTraces(const std::string& folder, const CheckOptions& options, CheckReport& report);

/// Checks that the metadata was written with the secret key in the folder.
void checkSecretKey(const std::string& folder, bool complete, CheckReport& report);

}  // namespace spindle::backup
