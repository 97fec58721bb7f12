#pragma once

#include <string>

#include "base/result.h"
#include "weights/byte_sink.h"

namespace spindle::trainer {

/// Writes a file that appears when it is whole and on disk. @return kUnavailable, naming the file;
/// what the source returns
Result<void> writeWhole(const std::string& path, const weights::ByteSource& source);

}  // namespace spindle::trainer
