#pragma once

#include <optional>
#include <string>

#include "columnar/store_parts.h"
#include "columnar/writer.h"

namespace spindle::columnar {

/// Brings back what was acknowledged before the last end, however that came: reads what the file
/// remembers, puts what the journals hold beyond it into tables in memory, and publishes the
/// version that has it all. The last journal is written on, so that a full disk keeps nobody from
/// reading.
/// @throws std::runtime_error with a message for the operator.
WriterStart recover(StoreParts& parts);

/// Returns the generation in the name of a journal, or nothing for another file.
std::optional<GenerationNumber> journalGeneration(const std::string& name);

}  // namespace spindle::columnar
