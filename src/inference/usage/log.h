#pragma once

#include "base/core/log.h"

namespace spindle::inference {

/// The log of the area, for the .cpp files of this room.
inline constexpr Logger kLog("inference");

}  // namespace spindle::inference
