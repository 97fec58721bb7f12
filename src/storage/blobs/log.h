#pragma once

#include "base/core/log.h"

namespace spindle::storage {

/// Logger of the area `storage`, for the source files of this room.
inline constexpr Logger kLog("storage");

}  // namespace spindle::storage
