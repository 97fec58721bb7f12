#pragma once

#include <cstddef>
#include <vector>

#include "base/result.h"
#include "columnar/connection.h"
#include "columnar/generation.h"
#include "columnar/store_parts.h"
#include "columnar/stored_tables.h"

namespace spindle::columnar {

struct CopyOptions {
  GenerationNumber mark = 0;  ///< the generation that the rows in the file are marked with
  StoredState state;          ///< of the file afterwards
  /// The rows are sorted and copied in so many pieces of about the same size, one after the other:
  /// more pieces need less memory and cluster less.
  std::size_t pieces = 1;
};

/// Copies the rows of a generation from memory into the file, within the connection's transaction:
/// removes the rows that it replaced, adds its own, saves statistics and state.
/// @return what was added, for StoredTables::added().
Result<std::vector<StoredTables::Addition>> copyGeneration(StoreParts& parts,
                                                           Connection& connection,
                                                           const Generation& generation,
                                                           const CopyOptions& options);

}  // namespace spindle::columnar
