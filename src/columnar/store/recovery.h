#pragma once

#include <optional>
#include <string>

#include "columnar/store/store_parts.h"
#include "columnar/store/writer.h"

namespace spindle::columnar {

/// Restores everything that was acknowledged before the last stop or crash. Reads the state of the
/// file, loads the rows of later journals into in-memory tables, and publishes the version that
/// contains both. Continues to write the last journal, so that a full disk does not prevent
/// reading. @throws std::runtime_error with a message for the operator.
WriterStart recover(StoreParts& parts);

/// Returns the generation number in the name of a journal, or nothing for other files.
std::optional<GenerationNumber> journalGeneration(const std::string& name);

}  // namespace spindle::columnar
