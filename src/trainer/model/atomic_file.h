#pragma once

#include <string>

#include "base/core/result.h"
#include "weights/formats/byte_sink.h"

namespace spindle::trainer {

/// Writes a file under a temporary name, syncs it to disk and renames it to `path`.
/// @return kUnavailable with the file name; errors of the source
Result<void> writeFileAtomically(const std::string& path, const weights::ByteSource& source);

}  // namespace spindle::trainer
