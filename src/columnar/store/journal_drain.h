#pragma once

#include <string>

#include "columnar/duckdb/connection.h"
#include "columnar/journal/journal.h"
#include "columnar/store/store_parts.h"
#include "columnar/tables/stored_tables.h"

namespace spindle::columnar {

/// Result of drainJournal().
struct DrainedJournal {
  Journal::End end;
  std::int64_t rows = 0;
  std::int64_t lost_steps = 0;
};

/// Moves the rows of a journal into the file without keeping them in memory, in parts of about
/// `parts.options.recent_bytes`. Each part is one transaction that also saves the progress, so
/// recovery continues there after a crash. `state` is the state of the file; the call updates it.
/// @throws std::runtime_error with advice when the file cannot be written.
DrainedJournal drainJournal(StoreParts& parts,
                            Connection& connection,
                            GenerationNumber generation,
                            StoredState& state);

}  // namespace spindle::columnar
