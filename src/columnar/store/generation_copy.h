#pragma once

#include <cstddef>
#include <vector>

#include "base/core/result.h"
#include "columnar/duckdb/connection.h"
#include "columnar/store/store_parts.h"
#include "columnar/tables/generation.h"
#include "columnar/tables/stored_tables.h"

namespace spindle::columnar {

struct CopyOptions {
  GenerationNumber mark = 0;  ///< generation number written to the copied rows
  StoredState state;          ///< of the file after the copy
  /// Number of parts of about equal size that are sorted and copied one after the other. More parts
  /// need less memory and cluster the rows less.
  std::size_t pieces = 1;
};

/// The largest CopyOptions::pieces that a copy is tried with.
inline constexpr std::size_t kMostPieces = 64;

/// Copies the rows of a generation from memory into the file, within the connection's transaction:
/// removes replaced rows, adds new rows, saves statistics and state. @return the additions, for
/// StoredTables::added().
Result<std::vector<StoredTables::Addition>> copyGeneration(StoreParts& parts,
                                                           Connection& connection,
                                                           const Generation& generation,
                                                           const CopyOptions& options);

}  // namespace spindle::columnar
