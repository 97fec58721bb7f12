#pragma once

#include <functional>
#include <string_view>

#include "base/core/result.h"

namespace spindle::weights {

/// Receives bytes, one chunk after the other.
using ByteSink = std::function<Result<void>(std::string_view bytes)>;
/// Sends all bytes of a tensor to a sink in chunks, so that no complete tensor has to be in memory.
using ByteSource = std::function<Result<void>(const ByteSink& sink)>;

}  // namespace spindle::weights
