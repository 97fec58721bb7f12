#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "base/crypto.h"
#include "storage/blob_collector.h"

namespace spindle::backup {

/// What a check has found.
struct CheckReport {
  std::vector<std::string> problems;  ///< data is missing or wrong; empty: all is well
  std::vector<std::string> notes;     ///< worth knowing, but no problem
  std::vector<std::string> facts;     ///< one line for each thing that was checked

  bool clean() const { return problems.empty(); }
  void add(const CheckReport& other);
};

struct CheckOptions {
  std::vector<storage::BlobColumn> blob_columns;  ///< every column that names blobs
  bool metadata = true;                           ///< false: it is on PostgreSQL
  /// False: a server has the folder open, so that its columnar store cannot be read beside it.
  bool traces = true;
  std::size_t memory_bytes = 400UL << 20;  ///< for scanning tables
  /// Checks of a copy of a data folder that may change it; see checkPoint(). None when empty.
  std::function<void(const std::string& folder, CheckReport& report)> check_copy = nullptr;
  /// Told what is being done, a line at a time.
  std::function<void(const std::string& line)> say = [](const std::string&) {};
};

/// Checks a data folder without changing it: SQLite's own check of the metadata, every row of every
/// table and every journal of the columnar store, the digest of every blob, and that every blob
/// exists that the metadata refers to. Reads everything.
CheckReport checkDataFolder(const std::string& folder, const CheckOptions& options);

/// The part of checkDataFolder() that concerns the metadata. `complete` as in storage::SqliteFile.
/// `has_blob` says whether a blob exists.
void checkMetadata(const std::string& file,
                   bool complete,
                   const CheckOptions& options,
                   const std::function<bool(const Sha256& digest)>& has_blob,
                   CheckReport& report);

/// The part of checkDataFolder() that concerns the columnar store.
void checkTraces(const std::string& folder, const CheckOptions& options, CheckReport& report);

/// Checks that the secret key in the folder is the one that the metadata was written with.
void checkSecretKey(const std::string& folder, bool complete, CheckReport& report);

}  // namespace spindle::backup
