#pragma once

#include "base/core/log.h"

namespace spindle::inference {

inline constexpr Logger kLog("inference");

}  // namespace spindle::inference
