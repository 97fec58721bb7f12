#pragma once

#include "base/core/log.h"

namespace spindle::columnar {

/// Logger of the area `columnar`, for the source files of this room.
inline constexpr Logger kLog("columnar");

}  // namespace spindle::columnar
