#pragma once

#include "base/core/log.h"

namespace spindle::http {

/// Logger of the area `http`, for the source files of this room.
inline constexpr Logger kLog("http");

}  // namespace spindle::http
