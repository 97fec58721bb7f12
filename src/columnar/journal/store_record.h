#pragma once

#include <optional>
#include <string>

#include "base/core/result.h"
#include "columnar/journal/numbers.h"

namespace spindle::columnar {

/// State that the store writes outside the DuckDB file each time before it deletes journals: the
/// generation that the file must contain, and the numbers in use. The record detects a file that is
/// older than expected and prevents numbers from being assigned twice.
struct StoreRecord {
  GenerationNumber generation = 0;  ///< the file contains all rows up to this generation
  RowNumber next_row = 1;
  PartitionNumber next_partition = 1;
};

/// Returns the path of the record in the folder of a store.
std::string recordPath(const std::string& folder);

/// Reads the record. Returns nothing when it does not exist or is damaged; a damaged record is
/// moved to the folder `damaged`.
std::optional<StoreRecord> loadRecord(const std::string& folder);

/// Writes the record; it is on disk when the call returns. @return kStorageFull or kUnavailable
Result<void> saveRecord(const std::string& folder, const StoreRecord& record);

}  // namespace spindle::columnar
