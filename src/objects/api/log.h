#pragma once

#include "base/core/log.h"

namespace spindle::objects {

/// Logger of this folder.
inline constexpr Logger kLog("objects");

}  // namespace spindle::objects
