#pragma once

#include "base/core/log.h"

namespace spindle::s3 {

/// Logger of the area `s3`, for the source files of this room.
inline constexpr Logger kLog("s3");

}  // namespace spindle::s3
