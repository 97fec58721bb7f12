#pragma once

#include "columnar/store_parts.h"
#include "columnar/writer.h"

namespace spindle::columnar {

/// Brings back what was acknowledged before the last end, however that came: reads what the file
/// remembers, puts what the journals hold beyond it into tables in memory, begins a new generation,
/// and publishes the version that has it all.
/// @throws std::runtime_error with a message for the operator.
WriterStart recover(StoreParts& parts);

}  // namespace spindle::columnar
