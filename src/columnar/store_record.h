#pragma once

#include <optional>
#include <string>

#include "base/result.h"
#include "columnar/numbers.h"

namespace spindle::columnar {

/// What a store notes outside DuckDB's file, each time before it deletes journals: how far the file
/// must have come, and the numbers that are in use. With it a file that is older than it should be
/// is noticed, and no number is given out twice.
struct StoreRecord {
  GenerationNumber generation = 0;  ///< the file holds all rows up to this one
  RowNumber next_row = 1;
  PartitionNumber next_partition = 1;
};

/// The path of the record in a store's folder.
std::string recordPath(const std::string& folder);

/// Reads the record. Empty when there is none, or when it is damaged: then it is set aside.
std::optional<StoreRecord> loadRecord(const std::string& folder);

/// Writes the record; it is on disk when this returns. @return kStorageFull or kUnavailable
Result<void> saveRecord(const std::string& folder, const StoreRecord& record);

}  // namespace spindle::columnar
