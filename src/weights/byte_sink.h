#pragma once

#include <functional>
#include <string_view>

#include "base/result.h"

namespace spindle::weights {

/// Takes bytes one piece after the other.
using ByteSink = std::function<Result<void>(std::string_view bytes)>;
/// Gives a tensor's bytes, piece by piece, all of them: so that no tensor need be in memory whole.
using ByteSource = std::function<Result<void>(const ByteSink& sink)>;

}  // namespace spindle::weights
