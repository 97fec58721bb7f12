#pragma once

#include "base/core/log.h"

namespace spindle::app {

/// Logger of the area `app`, for the source files of this room.
inline constexpr Logger kLog("app");

}  // namespace spindle::app
