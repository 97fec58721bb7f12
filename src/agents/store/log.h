#pragma once

#include "base/core/log.h"

namespace spindle::agents {

/// Logger of the area `agents`, for the source files of this room.
inline constexpr Logger kLog("agents");

}  // namespace spindle::agents
