#pragma once

#include "base/core/log.h"

namespace spindle::clickhouse {

/// Logger of the area `clickhouse`, for the source files of this room.
inline constexpr Logger kLog("clickhouse");

}  // namespace spindle::clickhouse
