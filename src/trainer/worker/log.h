#pragma once

#include "base/core/log.h"

namespace spindle::trainer {

/// Logger of the area `trainer`, for the source files of this room.
inline constexpr Logger kLog("trainer");

}  // namespace spindle::trainer
