#pragma once

#include <string>

#include "columnar/connection.h"
#include "columnar/journal.h"
#include "columnar/store_parts.h"
#include "columnar/stored_tables.h"

namespace spindle::columnar {

/// What became of a journal whose rows were moved into the file.
struct DrainedJournal {
  Journal::End end;
  std::int64_t rows = 0;
  std::int64_t lost_steps = 0;
};

/// Moves the rows of a journal into the file without keeping them in memory, in pieces of about
/// `parts.options.recent_bytes`, each in a transaction that also saves how far it came: a crash
/// continues from there. `state` is the file's, before and afterwards.
/// @throws std::runtime_error when the file cannot be written, with what to do about it.
DrainedJournal drainJournal(StoreParts& parts,
                            Connection& connection,
                            GenerationNumber generation,
                            StoredState& state);

}  // namespace spindle::columnar
